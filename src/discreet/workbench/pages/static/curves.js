// Curves over one axis with a point to drag along it: the point never goes to another curve by itself. With the
// keyboard: arrows (with Shift the smallest step), Page Up and Page Down, Home and End. What the hand asks for is sent
// at once, at most one question at a time; until it is answered the page's figures are dimmed (class "moving").
// What changes with a move comes alone (`take`): the curves, which are much larger, are sent when they change.
const TOLD = ["x", "y", "series", "answered", "mark", "markWords", "safeFrom", "safeWords", "people"];
const LEFT = 58, RIGHT = 26, TOP = 26, BOTTOM = 44, DRAG_FROM = 24;

export default {
  template: `
    <div class="curves">
      <svg ref="picture" :width="width" :height="height" @pointerdown="grab" @pointermove="drag" @pointerup="release"
           @pointercancel="release" @pointerleave="over = null" role="group" :aria-label="title">
        <text class="axis" x="2" :y="12">{{ yTitle }}</text>
        <g v-if="told.safeFrom && told.safeFrom < xMax" class="region">
          <rect :x="xOf(Math.max(told.safeFrom, xMin))" :width="Math.max(0, width - right - xOf(Math.max(told.safeFrom, xMin)))"
                :y="top" :height="height - bottom - top"/>
          <text :x="width - right - 4" :y="top + 14" text-anchor="end">{{ told.safeWords }}</text>
        </g>
        <g class="grid">
          <template v-for="tick in yTicks" :key="'y' + tick">
            <line :x1="left" :x2="width - right" :y1="yOf(tick)" :y2="yOf(tick)"/>
            <text :x="left - 8" :y="yOf(tick) + 4" text-anchor="end">{{ shown(tick, yShare) }}</text>
          </template>
          <text v-for="tick in xTicks" :key="'x' + tick" :x="xOf(tick)" :y="height - 24" text-anchor="middle">
            {{ xWords(tick) }}</text>
        </g>
        <text class="axis" :x="(left + width - right) / 2" :y="height - 5" text-anchor="middle">{{ xTitle }}</text>
        <polyline v-for="(line, number) in lines" :key="line.name" :points="paths[number]"
                  :class="['line', 'c' + line.colour, {chosen: number === at.series, dashed: line.dashed}]"/>
        <text v-for="end in ends" :key="'e' + end.name" class="end" :class="'c' + end.colour" :x="left + 13" :y="end.y">
          {{ end.name }}</text>
        <line v-if="told.mark && told.mark >= xMin && told.mark < xMax" class="mark" :x1="xOf(told.mark)" :x2="xOf(told.mark)" :y1="top"
              :y2="height - bottom"><title>{{ told.markWords }}</title></line>
        <text v-if="told.mark && told.mark >= xMin && told.mark < xMax" class="mark" :x="xOf(told.mark)" :y="height - bottom + 5"
              text-anchor="middle">◆</text>
        <text v-if="told.mark && told.mark >= xMin && told.mark < xMax" class="mark-words" :x="xOf(told.mark) + (far(told.mark) ? -8 : 8)"
              :y="height - bottom - 6" :text-anchor="far(told.mark) ? 'end' : 'start'">{{ told.markWords }}</text>
        <line class="cursor" :x1="xOf(at.x)" :x2="xOf(at.x)" :y1="top" :y2="height - bottom"/>
        <line v-if="over !== null && !held" class="hover" :x1="xOf(over)" :x2="xOf(over)" :y1="top"
              :y2="height - bottom"/>
        <circle class="point" ref="point" :cx="xOf(at.x)" :cy="yOf(at.y)" r="9" tabindex="0" role="slider"
                :aria-label="pointTitle" :aria-valuemin="xMin" :aria-valuemax="xMax" :aria-valuenow="at.x"
                :aria-valuetext="spoken" @keydown="key"/>
      </svg>
      <p class="hover-words" aria-hidden="true">{{ hoverWords }}</p>
      <div class="legend" :role="choosable ? 'group' : null" :aria-label="choosable ? legendTitle : null">
        <template v-for="(line, number) in lines" :key="line.name">
          <button v-if="choosable" type="button" :aria-pressed="number === at.series"
                  :class="['c' + line.colour, {dashed: line.dashed}]" @click="choose(number)">
            <svg width="26" height="8" aria-hidden="true"><line class="line" x1="0" x2="26" y1="4" y2="4"/></svg>
            {{ line.name }}</button>
          <span v-else :class="['c' + line.colour, {dashed: line.dashed, chosen: number === at.series}]">
            <svg width="26" height="8" aria-hidden="true"><line class="line" x1="0" x2="26" y1="4" y2="4"/></svg>
            {{ line.name }}</span>
        </template>
      </div>
    </div>`,
  props: {
    lines: Array, xMin: Number, xMax: Number, whole: Number, yMax: Number, log: Boolean, xLog: Boolean, yShare: Boolean,
    x: Number, series: Number, y: Number, step: Number, answered: Number, title: String, xTitle: String, yTitle: String,
    pointTitle: String, legendTitle: String, choosable: Boolean, steps: Boolean, mark: Number, markWords: String,
    safeFrom: Number, safeWords: String, unit: String, itemsets: Array, people: Array,
  },
  data() {
    return { width: 480, height: 300, left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM, held: false, pressed: null,
      over: null, asked: 0, waiting: false, next: null, at: { x: this.x, y: this.y, series: this.series },
      told: Object.fromEntries(TOLD.map((name) => [name, this[name]])) };
  },
  created() {
    for (const name of TOLD) this.$watch(() => this[name], (value) => this.take({ [name]: value }));
  },
  mounted() {
    this.watcher = new ResizeObserver(([entry]) => {
      this.width = Math.max(240, Math.floor(entry.contentRect.width));
      this.height = Math.round(Math.min(340, Math.max(240, this.width * 0.6)));
    });
    this.watcher.observe(this.$el);
  },
  beforeUnmount() {
    this.watcher.disconnect();
    document.documentElement.classList.remove("moving");
  },
  computed: {
    yTicks() {
      if (!this.log) return [0, 0.25, 0.5, 0.75, 1].map((share) => share * this.yMax);
      const ticks = [0];
      for (let decade = 1; decade <= this.yMax; decade *= 10)
        for (const digit of [1, 2, 5])
          if (digit * decade <= this.yMax && this.yOf(ticks.at(-1)) - this.yOf(digit * decade) >= 18)
            ticks.push(digit * decade);
      return ticks;
    },
    xTicks() {
      if (!this.xLog) {
        const least = (this.xMax - this.xMin) / Math.max(1, Math.min(5, Math.floor(this.width / 90) - 1));
        const ten = 10 ** Math.floor(Math.log10(least || 1));
        const step = ten * [1, 2, 2.5, 5, 10].find((digit) => digit * ten >= least * 0.999);
        return [...Array(Math.floor((this.xMax - this.xMin) / step + 1e-9) + 1)].map((_, at) => this.xMin + at * step);
      }
      const ticks = [];
      for (let decade = 1e-6; decade <= 1; decade *= 10)
        for (const digit of [1, 2, 3, 5, 7]) {
          const x = digit * decade * this.whole;
          const far = !ticks.length || this.xOf(x) - this.xOf(ticks.at(-1)) >= 46;
          if (x >= this.xMin * 0.999 && x <= this.xMax * 1.001 && far) ticks.push(x);
        }
      return ticks.length ? ticks : [this.xMin, this.xMax];
    },
    paths() { // once for each drawing, not for each move; with steps, a value holds from the point before up to its own
      const { steps } = this;
      return JSON.parse(JSON.stringify(this.lines)).map(({ points }) => {
        const places = points.map(([x, y]) => [this.xOf(x).toFixed(1), this.yOf(y).toFixed(1)]);
        return places.map(([x, y], at) => (steps && at ? `${places[at - 1][0]},${y} ${x},${y}` : `${x},${y}`)).join(" ");
      });
    },
    ends() { // the names of the lines at their left ends, pushed apart
      if (!this.xLog) return [];
      const ends = this.lines.map((line) => ({ name: line.name, colour: line.colour, y: this.yOf(line.points[0]?.[1] ?? 0) + 4 }))
        .filter((end) => end.y < this.height - BOTTOM - 6).sort((one, other) => one.y - other.y);
      ends.forEach((end, place) => { if (place) end.y = Math.max(end.y, ends[place - 1].y + 13); });
      return ends.filter((end) => end.y < this.height - BOTTOM - 4);
    },
    spoken() {
      const line = this.lines[this.at.series];
      return `${this.xWords(this.at.x)}, ${line ? line.name : ""}, ${this.shown(this.at.y, this.yShare)} ${this.unit}`;
    },
    hoverWords() {
      if (this.over === null) return " ";
      const told = this.lines.map((line) => `${line.name}: ${this.shown(Math.round(1e4 * this.valueAt(line, this.over)) / 1e4, this.yShare)}`);
      const count = this.itemsets?.find((each) => each[0] >= this.over);
      const near = this.told.people?.find((each) => Math.abs(this.xOf(each[0]) - this.xOf(this.over)) < 3);
      return [this.xWords(this.over), ...(count ? [`${this.shown(count[1])} itemsets`] : []), ...told,
        ...(near ? [near[1]] : [])].join(" · ");
    },
  },
  methods: {
    take(told) { // names as in markup: safe-from is safeFrom here
      for (const [name, value] of Object.entries(told))
        this.told[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = value;
      if ("answered" in told) this.answer(told.answered);
      this.settle();
    },
    answer(number) {
      this.waiting = false;
      if (this.next) {
        const next = this.next;
        this.next = null;
        this.ask(next);
      } else if (number >= this.asked) {
        document.documentElement.classList.remove("moving");
      }
    },
    xOf(x) {
      const [low, high, here] = this.xLog ? [this.xMin, this.xMax, Math.max(x, this.xMin)].map((each) => Math.log(each || 1))
        : [this.xMin, this.xMax, x];
      return LEFT + ((here - low) / (high - low || 1)) * (this.width - LEFT - RIGHT);
    },
    xAt(share) {
      if (!this.xLog) return this.xMin + share * (this.xMax - this.xMin);
      return this.xMin * (this.xMax / (this.xMin || 1)) ** share;
    },
    yOf(y) {
      const share = this.log ? Math.log1p(y) / Math.log1p(this.yMax || 1) : y / (this.yMax || 1);
      return this.height - BOTTOM - Math.min(1, share) * (this.height - TOP - BOTTOM);
    },
    shown(value, share) {
      if (share) return `${+(100 * value).toPrecision(3)} %`;
      return value.toLocaleString("en", { maximumFractionDigits: 2 });
    },
    xWords(x) {
      return `${+((100 * x) / this.whole).toPrecision(3)} %`;
    },
    valueAt(line, x) { // on the curve, as drawn
      const points = line.points;
      const upper = points.findIndex((point) => point[0] >= x);
      if (upper <= 0 || this.steps) return (points[upper] ?? points.at(-1) ?? [0, 0])[1];
      const [[x0, y0], [x1, y1]] = [points[upper - 1], points[upper]];
      return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0 || 1);
    },
    far(x) {
      return this.xOf(x) > (this.width + LEFT) / 2;
    },
    settle() {
      if (!this.held && !this.waiting) this.at = { x: this.told.x, y: this.told.y, series: this.told.series };
    },
    place(event) {
      const box = this.$refs.picture.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
      return this.rounded(this.xAt(Math.min(1, Math.max(0, share))));
    },
    grab(event) { // a touch elsewhere than on the point scrolls the page
      const box = this.$refs.picture.getBoundingClientRect();
      const far = Math.abs(event.clientX - box.left - this.xOf(this.at.x)) > DRAG_FROM
        || Math.abs(event.clientY - box.top - this.yOf(this.at.y)) > 2 * DRAG_FROM;
      if (event.pointerType === "touch" && far) return;
      event.preventDefault();
      this.held = true;
      this.over = null;
      this.$refs.picture.setPointerCapture(event.pointerId);
      this.$refs.point.focus();
      this.drag(event);
    },
    drag(event) {
      if (this.held) this.go(this.place(event), this.at.series);
      else if (event.pointerType !== "touch") this.over = this.place(event);
    },
    release() {
      this.held = false;
      this.settle();
    },
    rounded(x) {
      return Math.round(Math.min(this.xMax, Math.max(this.xMin, x)) / this.step) * this.step;
    },
    key(event) {
      const share = (this.xOf(this.at.x) - LEFT) / (this.width - LEFT - RIGHT);
      const by = { ArrowLeft: -0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1,
        Home: -1, End: 1 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      const least = Math.sign(by) * this.step;
      let x = this.rounded(this.xAt(Math.min(1, Math.max(0, share + by))));
      if (event.shiftKey || Math.sign(x - this.at.x) !== Math.sign(by)) x = this.rounded(this.at.x + least);
      this.go(x, this.at.series);
    },
    choose(series) {
      this.go(this.at.x, series);
    },
    go(x, series) {
      if (!this.lines[series] || (x === this.at.x && series === this.at.series)) return;
      this.at = { x, series, y: this.valueAt(this.lines[series], x) };
      document.documentElement.classList.add("moving");
      this.ask({ x, series });
    },
    ask(question) {
      if (this.waiting) {
        this.next = question;
        return;
      }
      this.waiting = true;
      this.asked += 1;
      this.$emit("move", { ...question, number: this.asked });
    },
  },
};

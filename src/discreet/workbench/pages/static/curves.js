// Curves over one axis with a point to drag: along the axis, and from curve to curve. With the keyboard: arrows.
// What the hand asks for is sent at once, at most one question at a time; until it is answered the page's figures are
// dimmed (class "moving" on the page).
const LEFT = 54, RIGHT = 26, TOP = 14, BOTTOM = 44;

export default {
  template: `
    <div class="curves">
      <svg ref="picture" :width="width" :height="height" @pointerdown="grab" @pointermove="drag" @pointerup="release"
           @pointercancel="release" role="group" :aria-label="title">
        <g class="grid">
          <template v-for="tick in yTicks" :key="'y' + tick">
            <line :x1="left" :x2="width - right" :y1="yOf(tick)" :y2="yOf(tick)"/>
            <text :x="left - 8" :y="yOf(tick) + 4" text-anchor="end">{{ shown(tick, yShare) }}</text>
          </template>
          <text v-for="tick in xTicks" :key="'x' + tick" :x="xOf(tick)" :y="height - 24" text-anchor="middle">
            {{ xWords(tick) }}</text>
        </g>
        <text class="axis" :x="(left + width - right) / 2" :y="height - 5" text-anchor="middle">{{ xTitle }}</text>
        <polyline v-for="(line, number) in lines" :key="line.name" :points="path(line)"
                  :class="['line', 'c' + line.colour, {chosen: number === at.series, dashed: line.dashed}]"/>
        <line class="cursor" :x1="xOf(at.x)" :x2="xOf(at.x)" :y1="top" :y2="height - bottom"/>
        <circle class="point" ref="point" :cx="xOf(at.x)" :cy="yOf(at.y)" r="9" tabindex="0" role="slider"
                :aria-label="pointTitle" :aria-valuemin="xMin" :aria-valuemax="xMax" :aria-valuenow="at.x"
                :aria-valuetext="xWords(at.x) + ', ' + (lines[at.series]?.name ?? '')" @keydown="key"/>
      </svg>
      <div class="legend">
        <button v-for="(line, number) in lines" :key="line.name" type="button" :aria-pressed="number === at.series"
                :class="['c' + line.colour, {dashed: line.dashed}]" @click="choose(number)">
          <i></i>{{ line.name }}</button>
      </div>
    </div>`,
  props: {
    lines: Array, xMin: Number, xMax: Number, whole: Number, yMax: Number, log: Boolean, yShare: Boolean,
    x: Number, series: Number, y: Number, step: Number, answered: Number, title: String, xTitle: String,
    pointTitle: String,
  },
  data() {
    return { width: 480, height: 300, left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM, held: false, asked: 0,
      waiting: false, next: null, at: { x: this.x, y: this.y, series: this.series } };
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
  watch: {
    answered(number) {
      this.waiting = false;
      if (this.next) {
        const next = this.next;
        this.next = null;
        this.ask(next);
      } else if (number >= this.asked) {
        document.documentElement.classList.remove("moving");
        this.settle();
      }
    },
    x() { this.settle(); }, y() { this.settle(); }, series() { this.settle(); },
  },
  computed: {
    yTicks() {
      if (!this.log) return [0, 0.25, 0.5, 0.75, 1].map((share) => share * this.yMax);
      const ticks = [0, 1];
      while (ticks.at(-1) * 10 <= this.yMax) ticks.push(ticks.at(-1) * 10);
      return ticks;
    },
    xTicks() {
      const count = Math.max(2, Math.min(6, Math.floor(this.width / 90)));
      return [...Array(count)].map((_, at) => this.xMin + ((this.xMax - this.xMin) * at) / (count - 1));
    },
  },
  methods: {
    xOf(x) {
      return LEFT + ((x - this.xMin) / (this.xMax - this.xMin || 1)) * (this.width - LEFT - RIGHT);
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
    path(line) {
      return line.points.map(([x, y]) => `${this.xOf(x).toFixed(1)},${this.yOf(y).toFixed(1)}`).join(" ");
    },
    valueAt(line, x) { // on the curve: between two points, a straight line as drawn
      const points = line.points;
      let upper = points.findIndex((point) => point[0] >= x);
      if (upper <= 0) return points[upper < 0 ? points.length - 1 : 0][1];
      const [[x0, y0], [x1, y1]] = [points[upper - 1], points[upper]];
      return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0 || 1);
    },
    settle() {
      if (!this.held && !this.waiting) this.at = { x: this.x, y: this.y, series: this.series };
    },
    grab(event) {
      event.preventDefault();
      this.held = true;
      this.$refs.picture.setPointerCapture(event.pointerId);
      this.$refs.point.focus();
      this.drag(event);
    },
    drag(event) {
      if (!this.held) return;
      const box = this.$refs.picture.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
      const x = this.rounded(this.xMin + Math.min(1, Math.max(0, share)) * (this.xMax - this.xMin));
      const distances = this.lines.map((line) => Math.abs(this.yOf(this.valueAt(line, x)) - (event.clientY - box.top)));
      const nearest = distances.indexOf(Math.min(...distances));
      const series = distances[this.at.series] < distances[nearest] + 12 ? this.at.series : nearest;
      this.go(x, series);
    },
    release() {
      this.held = false;
      this.settle();
    },
    rounded(x) {
      return Math.round(Math.min(this.xMax, Math.max(this.xMin, x)) / this.step) * this.step;
    },
    key(event) {
      const wide = Math.max(this.step, (this.xMax - this.xMin) / 100);
      const moves = { ArrowLeft: [-wide, 0], ArrowRight: [wide, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
        PageUp: [10 * wide, 0], PageDown: [-10 * wide, 0] };
      if (!(event.key in moves)) return;
      event.preventDefault();
      const [dx, curve] = moves[event.key];
      const series = Math.min(this.lines.length - 1, Math.max(0, this.at.series + curve));
      this.go(this.rounded(this.at.x + dx), series);
    },
    choose(series) {
      this.go(this.at.x, series);
    },
    go(x, series) {
      if (x === this.at.x && series === this.at.series) return;
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

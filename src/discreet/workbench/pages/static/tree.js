// A tree whose items and groups can be dragged under other groups. With the keyboard: Enter opens and closes a group,
// x picks something up, and Enter or v on a group puts it there; Escape lets it go.
const Branch = {
  name: "Branch",
  template: `
    <li :class="kinds[label] || ''">
      <div class="node" draggable="true" @dragstart.stop="$emit('pick', label)"
           @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent.stop="drop"
           :class="{over, held: label === held, chosen: label === chosen}">
        <button type="button" :aria-expanded="below ? String(open) : null" @click="click" @keydown="key">
          <span v-if="below" class="twist" aria-hidden="true">{{ open ? '▾' : '▸' }}</span>
          <span class="name" dir="auto" :title="label.length > 60 ? label.slice(0, 400) : null">{{ label }}</span>
          <span v-if="below" class="size">{{ below.length }}</span>
          <em v-if="notes[label]">{{ notes[label] }}</em>
        </button>
      </div>
      <ul v-if="below && open">
        <Branch v-for="child in below" :key="child" v-bind="$props" :label="child" :depth="depth + 1"
                @pick="$emit('pick', $event)" @put="$emit('put', $event)" @choose="$emit('choose', $event)"/>
      </ul>
    </li>`,
  props: { label: String, children: Object, kinds: Object, notes: Object, depth: Number, held: String, chosen: String },
  emits: ["pick", "put", "choose"],
  data() {
    return { open: this.depth < 2, over: false };
  },
  computed: {
    below() {
      return this.children[this.label];
    },
  },
  methods: {
    drop() {
      this.over = false;
      this.$emit("put", this.label);
    },
    click() {
      if (this.held && this.held !== this.label) return this.$emit("put", this.label);
      if (this.below) this.open = !this.open;
      this.$emit("choose", this.label);
    },
    key(event) {
      if (event.key === "x") this.$emit("pick", this.label);
      else if (event.key === "v") this.$emit("put", this.label);
      else if (event.key === "Escape") this.$emit("pick", "");
    },
  },
};

export default {
  components: { Branch },
  template: `
    <div class="tree">
      <p v-if="held" class="note" role="status">Picked up: {{ held.slice(0, 80) }}. Choose the group to put it under.</p>
      <ul><Branch :label="root" :children="children" :kinds="kinds" :notes="notes" :depth="0" :held="held" :chosen="chosen"
                  @pick="held = $event" @put="put" @choose="choose"/></ul>
    </div>`,
  props: { root: String, children: Object, kinds: Object, notes: Object, fixed: Boolean },
  data: () => ({ held: "", chosen: "" }),
  methods: {
    put(under) {
      if (this.held && this.held !== under && !this.fixed) this.$emit("move", { label: this.held, under });
      this.held = "";
    },
    choose(label) {
      this.chosen = label;
      this.$emit("choose", { label });
    },
  },
};

// A tree whose items and groups can be dragged under other groups. The server sends some children of the groups that
// are open, and more when asked. With the keyboard: Enter opens and closes a group, x picks something up, and Enter or
// v on a group puts it there; Escape lets it go.
const Branch = {
  name: "Branch",
  template: `
    <li :class="node.kind || ''">
      <div class="node" draggable="true" @dragstart.stop="$emit('pick', node)"
           @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent.stop="drop"
           :class="{over, held: node.id === held, chosen: node.id === chosen}">
        <button type="button" :aria-expanded="node.group ? String(Boolean(level)) : null" @click="click" @keydown="key">
          <span v-if="node.group" class="twist" aria-hidden="true">{{ level ? '▾' : '▸' }}</span>
          <span class="name" dir="auto" :title="node.label.length > 60 ? node.label : null">{{ node.label }}</span>
          <span v-if="node.group" class="size">{{ node.size.toLocaleString('en') }}</span>
          <em v-if="node.note">{{ node.note }}</em>
        </button>
      </div>
      <ul v-if="level">
        <Branch v-for="child in level.children" :key="child.id" :node="child" :levels="levels" :held="held" :chosen="chosen"
                @pick="$emit('pick', $event)" @put="$emit('put', $event)" @choose="$emit('choose', $event)"
                @open="$emit('open', $event)"/>
        <li v-if="level.more"><button type="button" class="more" @click="$emit('open', {id: node.id, more: true})">
          show more of {{ level.more.toLocaleString('en') }} others</button></li>
      </ul>
    </li>`,
  props: { node: Object, levels: Object, held: Number, chosen: Number },
  emits: ["pick", "put", "choose", "open"],
  data: () => ({ over: false }),
  computed: {
    level() {
      return this.levels[this.node.id];
    },
  },
  methods: {
    drop() {
      this.over = false;
      this.$emit("put", this.node);
    },
    click() {
      if (this.held >= 0 && this.held !== this.node.id) return this.$emit("put", this.node);
      if (this.node.group) this.$emit("open", { id: this.node.id, open: !this.level });
      this.$emit("choose", this.node);
    },
    key(event) {
      if (event.key === "x") this.$emit("pick", this.node);
      else if (event.key === "v") this.$emit("put", this.node);
      else if (event.key === "Escape") this.$emit("pick", null);
    },
  },
};

export default {
  components: { Branch },
  template: `
    <div class="tree" role="group" aria-label="the tree">
      <p class="note held-words" role="status">{{ held ? 'Picked up: ' + held.label.slice(0, 80) + '. Choose the group to put it under.' : '' }}</p>
      <ul v-if="root"><Branch :node="root" :levels="levels" :held="held ? held.id : -1" :chosen="chosen"
                  @pick="held = $event" @put="put" @choose="choose" @open="$emit('open', $event)"/></ul>
    </div>`,
  props: { root: Object, levels: Object, chosen: Number },
  emits: ["move", "choose", "open"],
  data: () => ({ held: null }),
  methods: {
    put(under) {
      if (this.held && this.held.id !== under.id) this.$emit("move", { node: this.held.id, under: under.id });
      this.held = null;
    },
    choose(node) {
      this.$emit("choose", { node: node.id });
    },
  },
};

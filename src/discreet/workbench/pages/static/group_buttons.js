// The small groups as buttons, and under the chosen one the arithmetic that gives it away. What changes comes alone.
const TOLD = ["groups", "chosen", "picture"];

export default {
  template: `
    <ol class="groups">
      <li v-for="(words, place) in told.groups" :key="place">
        <button type="button" :aria-pressed="place === told.chosen" @click="$emit('choose', place)" v-html="words"></button>
        <div v-if="place === told.chosen" class="picture" v-html="told.picture"></div>
      </li>
    </ol>`,
  props: { groups: Array, chosen: Number, picture: String },
  emits: ["choose"],
  data() {
    return { told: Object.fromEntries(TOLD.map((name) => [name, this[name]])) };
  },
  created() {
    for (const name of TOLD) this.$watch(() => this[name], (value) => this.take({ [name]: value }));
  },
  methods: {
    take(told) {
      Object.assign(this.told, told);
    },
  },
};

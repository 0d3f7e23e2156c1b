// A piece of the page's own markup. What changes comes alone (`take`): otherwise the framework draws the whole page.
export default {
  template: `<component :is="tag" v-html="now"></component>`,
  props: { content: String, tag: String },
  data() {
    return { now: this.content };
  },
  watch: {
    content(content) {
      this.now = content;
    },
  },
  methods: {
    take({ content }) {
      this.now = content;
    },
  },
};

// A field for words. Nothing that the server writes takes their place while somebody types, nor before the server has
// read what was typed (`read` counts edits): it is told the words again. Enter, or leaving the field, ends the typing.
export default {
  template: `<q-input ref="qRef" v-bind="$attrs" v-model="words" @keydown.enter="entered" @blur="typing = false"/>`,
  inheritAttrs: false,
  props: { value: String, read: Number, id: String },
  emits: ["update:value", "edited"],
  data() {
    return { words: this.value, typing: false, edits: 0, written: false };
  },
  watch: {
    value() {
      this.updateValue();
    },
    words() {
      if (this.written) this.written = false;
      else this.tell();
    },
  },
  beforeUnmount() {
    const element = mounted_app.elements[this.id.slice(1)];
    if (element) element.props.value = this.words;
  },
  methods: {
    tell() {
      this.typing = this.$refs.qRef.$el.contains(document.activeElement);
      this.edits += 1;
      this.$emit("update:value", this.words);
      this.$emit("edited", this.edits);
    },
    updateValue() {
      if (this.value === this.words) return;
      if (this.typing) this.tell();
      else if (this.read >= this.edits) {
        this.written = true;
        this.words = this.value;
      }
    },
    entered() {
      this.typing = this.typing && this.$attrs.type === "textarea";
    },
  },
};

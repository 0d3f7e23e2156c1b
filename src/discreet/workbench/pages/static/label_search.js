// Choose labels of which there may be very many: the server searches, and sends the first of those it finds. What was
// typed is cleared by a choice. A combobox with a list below it, as the ARIA practices describe it.
export default {
  template: `
    <div class="label-search" @focusout="leave">
      <label :for="id">{{ label }}</label>
      <ul v-if="chosen.length" class="chosen" :aria-label="'chosen: ' + label">
        <li v-for="(each, place) in chosen" :key="place"><span dir="auto" :title="each.length > 40 ? each : null">{{ each }}</span>
          <button type="button" :aria-label="'remove ' + each" @click="$emit('remove', { place })">×</button></li>
      </ul>
      <input :id="id" ref="input" type="text" role="combobox" autocomplete="off" spellcheck="false" aria-autocomplete="list"
             :aria-label="label" :aria-expanded="String(listed)" :aria-controls="id + '-list'" :aria-invalid="String(Boolean(error))"
             :aria-activedescendant="listed && at >= 0 ? id + '-' + at : null" :aria-describedby="id + '-hint'"
             v-model="words" @input="search" @focus="search" @click="search" @keydown="key">
      <ul v-show="listed" :id="id + '-list'" role="listbox" :aria-label="label" class="found">
        <li v-for="(each, place) in listed ? found : []" :key="each.number" :id="id + '-' + place" role="option" dir="auto"
            :aria-selected="String(chosen.includes(each.label))" :class="{at: place === at}"
            @mousedown.prevent="choose(each)">{{ each.label }}</li>
      </ul>
      <p :id="id + '-hint'" class="note" :class="{refusal: error}" :role="error ? 'alert' : null">{{ error ? errorMessage : hints }}</p>
    </div>`,
  props: { label: String, hint: String, found: Array, more: Boolean, chosen: Array, error: Boolean, errorMessage: String },
  emits: ["search", "choose", "remove"],
  data: () => ({ words: "", open: false, at: -1, id: "search-" + Math.random().toString(36).slice(2) }),
  computed: {
    listed() {
      return this.open && this.found.length > 0;
    },
    hints() {
      if (!this.open || !this.words.trim()) return this.hint;
      return this.found.length ? (this.more ? "the first of many: type more" : "") : "nothing of that name";
    },
  },
  methods: {
    search() {
      this.open = true;
      this.at = this.words.trim() ? 0 : -1;
      this.$emit("search", { words: this.words });
    },
    choose(each) {
      this.$emit("choose", { number: each.number });
      this.words = "";
      this.at = -1;
      this.open = false;
      this.$refs.input.focus({ preventScroll: true });
      this.open = false;
    },
    key(event) {
      const last = this.found.length - 1;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (!this.open) return this.search();
        this.at = Math.max(0, Math.min(last, this.at + (event.key === "ArrowDown" ? 1 : -1)));
      } else if (event.key === "Enter" && this.listed && this.at >= 0) {
        event.preventDefault();
        this.choose(this.found[Math.min(this.at, last)]);
      } else if (event.key === "Escape") {
        this.open = false;
      } else if (event.key === "Backspace" && !this.words && this.chosen.length) {
        this.$emit("remove", { place: this.chosen.length - 1 });
      }
    },
    leave(event) {
      if (!event.currentTarget.contains(event.relatedTarget)) this.open = false;
    },
  },
};

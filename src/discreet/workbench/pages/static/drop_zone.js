// A place to drop a file, or to choose one with the keyboard. The file goes to the server's address as it is, one
// request for each; what the server answers when it refuses is shown here. Where another file would throw away something
// that was not saved (`unsaved` says what), it is asked first; a zip is a bundle to verify, which throws nothing away.
export default {
  template: `
    <div class="drop" :class="{over, busy: share !== null}"
         @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="drop"
         @beside="send($event.detail)">
      <label>
        <span class="drop-words">{{ words }}</span>
        <span class="drop-hint">{{ hint }}</span>
        <input type="file" :multiple="multiple" :aria-label="words" @change="choose">
      </label>
      <div v-if="share !== null" class="drop-bar" role="progressbar" :aria-label="'sending ' + going" :aria-valuenow="Math.round(100 * share)">
        <span :style="{width: 100 * share + '%'}"></span><em>{{ going }} {{ Math.round(100 * share) }} %</em>
      </div>
      <div v-if="waiting" class="doubt" role="alert">
        <p><b>{{ unsaved }} was not saved, and goes if {{ waiting[0].name }} is taken.</b></p>
        <div class="answers"><button type="button" class="plain" @click="answer(true)">Take it</button>
        <button type="button" class="plain" @click="answer(false)">Keep what is here</button></div>
      </div>
      <p v-if="refusal" class="refusal" role="alert">{{ refusal }}</p>
    </div>`,
  props: { url: String, words: String, hint: String, limit: Number, multiple: Boolean, unsaved: String },
  data: () => ({ over: false, share: null, going: "", refusal: "", waiting: null }),
  methods: {
    drop(event) {
      this.over = false;
      this.send([...event.dataTransfer.files]);
    },
    choose(event) {
      this.send([...event.target.files]);
      event.target.value = "";
    },
    answer(take) {
      const files = this.waiting;
      this.waiting = null;
      if (take) this.send(files, true);
    },
    async send(files, sure = false) {
      this.refusal = "";
      this.waiting = this.unsaved && !sure && files.length && !/\.(zip|toml)$/i.test(files[0].name) ? files : null;
      if (this.waiting) return;
      for (const file of this.multiple ? files : files.slice(0, 1)) {
        if (file.size > this.limit) {
          this.refusal = `${file.name} has ${this.mega(file.size)} MB; up to ${this.mega(this.limit)} MB can be dropped. `
            + "Start discreet ui with a larger --max-size, or use the command line.";
          return;
        }
        const answer = await this.post(file);
        if (answer) {
          this.refusal = answer;
          break;
        }
      }
      this.share = null;
      this.$emit("sent");
    },
    post(file) {
      return new Promise((done) => {
        const request = new XMLHttpRequest();
        request.open("POST", `${this.url}?name=${encodeURIComponent(file.name)}`);
        request.upload.onprogress = (event) => (this.share = event.total ? event.loaded / event.total : 0);
        request.onload = () => done(request.status === 200 ? "" : request.responseText);
        request.onerror = () => done("the file did not arrive: discreet ui has ended, or refused it");
        this.share = 0;
        this.going = file.name.slice(0, 60);
        request.send(file);
      });
    },
    mega: (bytes) => (bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 }),
  },
};

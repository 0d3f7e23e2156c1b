// A place to drop a file, or to choose one with the keyboard. The file goes to the server's address as it is, one
// request for each; what the server answers when it refuses is shown here.
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
      <p v-if="refusal" class="refusal" role="alert">{{ refusal }}</p>
    </div>`,
  props: { url: String, words: String, hint: String, limit: Number, multiple: Boolean },
  data: () => ({ over: false, share: null, going: "", refusal: "" }),
  methods: {
    drop(event) {
      this.over = false;
      this.send([...event.dataTransfer.files]);
    },
    choose(event) {
      this.send([...event.target.files]);
      event.target.value = "";
    },
    async send(files) {
      this.refusal = "";
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

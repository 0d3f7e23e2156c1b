// Browsers start no worker on a page that is opened from a folder. There, the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      this.inner = this.frame.contentWindow;
      this.inner.postMessage = (message) => {
        const data = structuredClone(message); // as between threads: what one side changes, the other does not see
        setTimeout(() => this.onmessage?.({ data }));
      };
      this.waiting = [];
      const script = this.inner.document.createElement("script");
      script.src = new URL(url, location.href).href;
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.deliver(data));
      };
      this.inner.document.documentElement.append(script);
    }

    postMessage(message) {
      const data = structuredClone(message);
      this.waiting ? this.waiting.push(data) : this.deliver(data);
    }

    deliver(data) {
      setTimeout(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}

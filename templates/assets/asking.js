// The way from a page to the engine that answers.js runs: a worker, or slices of this thread where a
// page may have no worker (pages read from a folder), or where one does not start.
(() => {
  "use strict";
  const load = (address) => new Promise((done, failed) => {
    document.head.append(Object.assign(document.createElement("script"), {
      src: address, async: false, onload: done, onerror: () => failed(new Error(address)),
    }));
  });
  const absolute = (addresses) => addresses.trim().split(" ").map((one) => new URL(one, location.href).href);

  // "engine" is the address of answers.js, "scripts" are those that it runs.
  const asking = ({ engine, scripts }) => {
    let way, failed = false;
    const inPage = () => {
      const loaded = new Map();
      const once = async (address) => {
        if (!loaded.has(address)) loaded.set(address, load(address));
        try {
          await loaded.get(address);
        } catch (error) {
          loaded.delete(address);
          throw error;
        }
      };
      return {
        async ask(question, say, wanted) {
          await Promise.all([...absolute(scripts), ...absolute(engine), ...question.needs ?? []].map(once));
          await sitegenAnswers.taken(sitegenAnswers.answering(question), 8, wanted, say);
        },
      };
    };
    const inWorker = () => {
      const thread = new Worker(new URL(engine, location.href)), waiting = new Map();
      thread.onmessage = ({ data }) => {
        const one = waiting.get(data.number);
        if (data.failed) one?.failed(new Error(data.failed));
        else if (data.done) one?.done();
        else one?.say(data);
        if (data.done || data.failed) waiting.delete(data.number);
      };
      thread.onerror = (event) => {
        for (const one of waiting.values()) one.failed(new Error(event.message || "no worker"));
        waiting.clear();
      };
      thread.postMessage({ scripts: absolute(scripts) });
      return {
        ask: (question, say) => new Promise((done, fails) => {
          waiting.set(question.number, { done, failed: fails, say });
          thread.postMessage(question);
        }),
      };
    };
    const begin = () => {
      if (way) return;
      try {
        way = location.protocol === "file:" ? inPage() : inWorker();
      } catch {
        way = inPage();
      }
    };
    // Questions are numbered, and name the scripts that they need besides; "say" hears each part of an
    // answer, unless a newer question came.
    const ask = async (question, say, wanted) => {
      begin();
      try {
        await way.ask(question, say, wanted);
      } catch (error) {
        if (failed) throw error;
        failed = true;
        way = inPage();
        await ask(question, say, wanted);
      }
    };
    return { ask, begin };
  };
  self.sitegenAsking = Object.assign(asking, { absolute, load });
})();

// What a Node.js script reports to the server that runs it. The interface is that of the package `@kestra-io/libs`; if a task
// installs that package, it replaces this module.
"use strict";

class Logger {
  trace(...messages) {
    report("TRACE", messages);
  }
  debug(...messages) {
    report("DEBUG", messages);
  }
  info(...messages) {
    report("INFO", messages);
  }
  warn(...messages) {
    report("WARN", messages, process.stderr);
  }
  error(...messages) {
    report("ERROR", messages, process.stderr);
  }
}

// Warnings and errors go to the error stream, so that the task ends in WARNING.
function report(level, messages, stream = process.stdout) {
  const text = (message) => message instanceof Error ? message.stack : message;
  const logs = messages.map((message) => ({ level, message: text(message) }));
  stream.write(`${Kestra.format({ logs })}\n`);
}

function metric(name, type, value, tags) {
  Kestra.send({ metrics: [{ name, type, value, tags: tags || {} }] });
}

function Kestra() {}

// Some readers of lines end one at these characters.
Kestra.format = (map) => {
  const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `::${JSON.stringify(map).replace(/[\u0085\u2028\u2029]/g, escaped)}::`;
};
Kestra.send = (map) => void process.stdout.write(`${Kestra.format(map)}\n`);
Kestra._send = Kestra.send;
Kestra.outputs = (outputs) => Kestra.send({ outputs });
Kestra.assets = (assets) => Kestra.send({ assets });
Kestra.counter = (name, value, tags) => metric(name, "counter", value, tags);
Kestra.gauge = (name, value, tags) => metric(name, "gauge", value, tags);
// A duration in seconds, or a function that is given a callback to call at its end.
Kestra.timer = (name, duration, tags) => {
  if (typeof duration !== "function") return metric(name, "timer", duration, tags);
  const start = performance.now();
  duration(() => metric(name, "timer", (performance.now() - start) / 1000, tags));
};
Kestra.logger = () => new Logger();
Kestra.default = Kestra;

module.exports = Kestra;

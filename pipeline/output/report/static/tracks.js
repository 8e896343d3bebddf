"use strict";
/* What is drawn under the player, on one axis of time: waveform, pitch, level, who speaks, where arguments are. */

window.rostrum = window.rostrum || {};

rostrum.Tracks = class {
  static SPANS = [Infinity, 60, 20, 8];

  constructor(canvas, data, seek) {
    Object.assign(this, { canvas, data, zoom: 0, from: 0, now: 0 });
    this.drawn = document.createElement("canvas");
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      seek(this.from + ((event.clientX - box.left) / box.width) * this.span);
    });
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  get span() {
    return Math.min(rostrum.Tracks.SPANS[this.zoom], this.data.duration);
  }

  zoomBy(steps) {
    this.zoom = Math.min(Math.max(this.zoom + steps, 0), rostrum.Tracks.SPANS.length - 1);
    this.from = this.clamped(this.now - this.span / 2);
    this.redraw();
  }

  clamped(from) {
    return Math.min(Math.max(from, 0), this.data.duration - this.span);
  }

  /* Move the playhead; the view follows it page by page. */
  moveTo(now) {
    this.now = now;
    if (now < this.from || now > this.from + this.span) {
      this.from = this.clamped(now - this.span / 10);
      this.redraw();
    } else {
      this.paint();
    }
  }

  redraw() {
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return;
    for (const canvas of [this.canvas, this.drawn]) Object.assign(canvas, { width: width * scale, height: height * scale });
    const pen = this.drawn.getContext("2d");
    pen.scale(scale, scale);
    this.draw(pen, width, height);
    this.paint();
  }

  /* The finished drawing, and the playhead over it. */
  paint() {
    const pen = this.canvas.getContext("2d");
    const { width, height } = this.canvas;
    pen.clearRect(0, 0, width, height);
    pen.drawImage(this.drawn, 0, 0);
    pen.fillStyle = this.colour("--wrong");
    pen.fillRect(((this.now - this.from) / this.span) * width - 1, 0, 2, height);
  }

  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  draw(pen, width, height) {
    const { data } = this;
    const lanes = [["waveform", 3, this.wave]];
    if (data.pitch) lanes.push(["pitch", 2.4, this.pitch]);
    lanes.push(["level", 1.6, this.level]);
    const thin = 12;
    const strips = (data.speakers.length > 1 ? 1 : 0) + (data.mentions.length ? 1 : 0);
    const rest = height - 16 - strips * (thin + 4);
    const total = lanes.reduce((sum, [, share]) => sum + share, 0);
    let top = 0;
    for (const [name, share, draw] of lanes) {
      const tall = (rest * share) / total;
      draw.call(this, pen, width, top + 3, tall - 6);
      this.label(pen, name, top + 11);
      top += tall;
    }
    if (data.speakers.length > 1) {
      this.turns(pen, width, top, thin);
      top += thin + 4;
    }
    if (data.mentions.length) {
      this.mentions(pen, width, top, thin);
      this.label(pen, "arguments", top + 9);
      top += thin + 4;
    }
    this.axis(pen, width, height);
  }

  x(time, width) {
    return ((time - this.from) / this.span) * width;
  }

  label(pen, text, baseline) {
    pen.font = "10px system-ui, sans-serif";
    const wide = pen.measureText(text).width;
    pen.fillStyle = this.colour("--card");
    pen.globalAlpha = 0.9;
    pen.fillRect(0, baseline - 9, wide + 4, 12);
    pen.globalAlpha = 1;
    pen.fillStyle = this.colour("--soft");
    pen.fillText(text, 1, baseline);
  }

  wave(pen, width, top, tall) {
    const { step, peaks } = this.data.outline;
    pen.fillStyle = this.colour("--wave");
    for (let x = 0; x < width; x += 1) {
      const first = Math.floor((this.from + (x / width) * this.span) / step);
      const last = Math.max(first + 1, Math.floor((this.from + ((x + 1) / width) * this.span) / step));
      let peak = 0;
      for (let i = first; i < last && i < peaks.length; i += 1) peak = Math.max(peak, peaks[i]);
      const half = Math.max((peak / 100) * (tall / 2), 0.5);
      pen.fillRect(x, top + tall / 2 - half, 0.8, 2 * half);
    }
  }

  /* Hertz on a scale of octaves, with a line for each. */
  pitch(pen, width, top, tall) {
    const { step, values } = this.data.pitch;
    const [low, high] = this.range(values.filter((value) => value > 0));
    const y = (hertz) => top + tall - (Math.log2(hertz / low) / Math.log2(high / low)) * tall;
    pen.strokeStyle = this.colour("--line");
    pen.lineWidth = 1;
    for (let hertz = 50; hertz <= 800; hertz *= 2) {
      if (hertz <= low || hertz >= high) continue;
      pen.beginPath();
      pen.moveTo(0, y(hertz));
      pen.lineTo(width, y(hertz));
      pen.stroke();
      pen.fillStyle = this.colour("--soft");
      pen.font = "10px system-ui, sans-serif";
      pen.fillText(`${hertz} Hz`, width - 36, y(hertz) - 2);
    }
    pen.fillStyle = this.colour("--accent");
    this.visible(step, values, (value, time) => {
      if (value > 0) pen.fillRect(this.x(time, width) - 0.8, y(Math.min(Math.max(value, low), high)) - 0.8, 1.8, 1.8);
    });
  }

  /* All but the outermost two in a hundred, widened a little. */
  range(values) {
    const sorted = Float64Array.from(values).sort();
    if (!sorted.length) return [75, 300];
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
    return [at(0.02) / 1.15, at(0.98) * 1.15];
  }

  level(pen, width, top, tall) {
    const { step, level } = this.data.outline;
    const floor = -60;
    pen.strokeStyle = this.colour("--pro");
    pen.lineWidth = 1;
    pen.beginPath();
    this.visible(step, level, (value, time) => pen.lineTo(this.x(time, width), top + tall * (value / floor)));
    pen.stroke();
  }

  visible(step, values, each) {
    const last = Math.min(values.length, Math.ceil((this.from + this.span) / step) + 1);
    for (let i = Math.max(Math.floor(this.from / step), 0); i < last; i += 1) each(values[i], i * step);
  }

  turns(pen, width, top, tall) {
    const { turns, speakers } = this.data;
    const colours = ["--accent", "--con", "--pro", "--soft"];
    pen.font = "10px system-ui, sans-serif";
    for (const [start, end, speaker] of turns) {
      const left = this.x(start, width);
      const wide = Math.max(this.x(end, width) - left, 1);
      if (left > width || left + wide < 0) continue;
      pen.fillStyle = this.colour(colours[speaker % colours.length]);
      pen.fillRect(left, top, wide, tall);
      const name = speakers[speaker];
      if (pen.measureText(name).width + 6 < wide) {
        pen.fillStyle = this.colour("--card");
        pen.fillText(name, Math.max(left, 0) + 3, top + tall - 2.5);
      }
    }
  }

  mentions(pen, width, top, tall) {
    for (const [start, end, stance] of this.data.mentions) {
      const left = this.x(start, width);
      pen.fillStyle = this.colour(stance === "con" ? "--con" : "--pro");
      pen.fillRect(left, top + tall / 2 - 2, Math.max(this.x(end, width) - left, 2), 4);
    }
  }

  axis(pen, width, height) {
    const step = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600].find((each) => (each / this.span) * width > 55) || 7200;
    pen.fillStyle = this.colour("--soft");
    pen.font = "10px system-ui, sans-serif";
    for (let time = Math.ceil(this.from / step) * step; time < this.from + this.span; time += step) {
      const x = this.x(time, width);
      pen.fillRect(x, height - 14, 1, 4);
      if (x < width - 26) pen.fillText(rostrum.clock(time), x + 3, height - 4);
    }
  }
};

rostrum.clock = (seconds) => {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

"use strict";
/* What is drawn under the player, on one axis of time: waveform, spectrogram, pitch, level, words, who speaks, where
   arguments are. The view is moved by dragging and zoomed by pinching, Ctrl and the wheel, + and -. */

window.rostrum = window.rostrum || {};

rostrum.Tracks = class {
  static SHORTEST = 0.5;

  static LANES = ["waveform", "spectrogram", "pitch", "level", "words"];

  static STRIP = 12;

  constructor(canvas, map, data, seek) {
    Object.assign(this, { canvas, map, data, from: 0, now: 0, span: data.duration, images: new Map() });
    this.peaks = Uint8Array.from(atob(data.wave.peaks), (sign) => sign.charCodeAt(0));
    this.shown = new Set(rostrum.Tracks.LANES);
    this.drawn = document.createElement("canvas");
    this.pointers = new Map();
    this.listen(seek);
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /* The view */

  get length() {
    return this.data.duration;
  }

  get isZoomed() {
    return this.span < this.length;
  }

  /* Show so much more or less, with the time under `share` of the width where it is. */
  zoom(factor, share = (this.now - this.from) / this.span) {
    const fixed = Math.min(Math.max(share, 0), 1);
    const at = this.from + fixed * this.span;
    this.span = Math.min(Math.max(this.span * factor, rostrum.Tracks.SHORTEST), this.length);
    this.panTo(at - fixed * this.span);
  }

  panTo(from) {
    this.from = Math.min(Math.max(from, 0), this.length - this.span);
    this.redraw();
  }

  /* Move the playhead; the view follows it page by page, unless it is being dragged. */
  moveTo(now) {
    const was = this.now;
    this.now = now;
    const left = now < this.from || now > this.from + this.span;
    if (left && was !== now && !this.pointers.size) this.panTo(now - this.span / 10);
    else this.paint();
  }

  show(lane, isShown) {
    if (isShown) this.shown.add(lane);
    else this.shown.delete(lane);
    this.redraw();
  }

  listen(seek) {
    const { canvas, map } = this;
    const shareOf = (event, of = canvas) => {
      const box = of.getBoundingClientRect();
      return (event.clientX - box.left) / box.width;
    };
    canvas.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, { share: shareOf(event), moved: false });
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const pointer = this.pointers.get(event.pointerId);
      if (!pointer) return;
      const share = shareOf(event);
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const [before, after] = [pointer, { share }].map((each) => Math.max(Math.abs(each.share - other.share), 0.02));
        this.zoom(before / after, (share + other.share) / 2);
        pointer.moved = other.moved = true;
      } else if (pointer.moved || Math.abs(share - pointer.share) * canvas.clientWidth > 4) {
        this.panTo(this.from - (share - pointer.share) * this.span);
        pointer.moved = true;
      } else return;
      pointer.share = share;
    });
    canvas.addEventListener("pointerup", (event) => {
      const pointer = this.pointers.get(event.pointerId);
      this.pointers.delete(event.pointerId);
      if (pointer && !pointer.moved) seek(this.from + shareOf(event) * this.span);
    });
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY / 200), shareOf(event));
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
          this.panTo(this.from + ((event.deltaX || event.deltaY) / canvas.clientWidth) * this.span);
        } else return;
        event.preventDefault();
      },
      { passive: false },
    );
    const jump = (event) => event.buttons && this.panTo(shareOf(event, map) * this.length - this.span / 2);
    map.addEventListener("pointerdown", (event) => {
      map.setPointerCapture(event.pointerId);
      jump(event);
    });
    map.addEventListener("pointermove", jump);
  }

  /* Drawing */

  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.drawAll());
  }

  drawAll() {
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return;
    this.colours = new Map();
    for (const canvas of [this.canvas, this.drawn]) Object.assign(canvas, { width: width * scale, height: height * scale });
    const pen = this.drawn.getContext("2d");
    pen.scale(scale, scale);
    this.draw(pen, width, height);
    this.drawMap();
    this.paint();
    this.canvas.dataset.from = this.from.toFixed(3);
    this.canvas.dataset.to = (this.from + this.span).toFixed(3);
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
    if (!this.colours?.has(name)) {
      this.colours ??= new Map();
      this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    }
    return this.colours.get(name);
  }

  draw(pen, width, height) {
    const { data } = this;
    const strips = [];
    if (this.shown.has("words") && data.words.start.length) strips.push([16, this.words]);
    if (data.speakers.length > 1) strips.push([rostrum.Tracks.STRIP, this.turns]);
    if (data.mentions.length) strips.push([rostrum.Tracks.STRIP, this.mentions, "arguments"]);
    const lanes = [["waveform", 2.2, this.wave]];
    if (data.spectrogram) lanes.push(["spectrogram", 3.6, this.spectrogram]);
    if (data.pitch) lanes.push(["pitch", 2.6, this.pitch]);
    lanes.push(["level", 1.5, this.level]);
    const shown = lanes.filter(([name]) => this.shown.has(name));
    const rest = height - 16 - strips.reduce((sum, [tall]) => sum + tall + 4, 0);
    const total = shown.reduce((sum, [, share]) => sum + share, 0) || 1;
    let top = 0;
    for (const [name, share, draw] of shown) {
      const tall = (rest * share) / total;
      draw.call(this, pen, width, top + 2, tall - 4);
      this.label(pen, name, top + 11);
      top += tall;
    }
    top = height - 16 - strips.reduce((sum, [tall]) => sum + tall + 4, 0);
    for (const [tall, draw, name] of strips) {
      draw.call(this, pen, width, top, tall);
      if (name) this.label(pen, name, top + 9);
      top += tall + 4;
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
    pen.globalAlpha = 0.85;
    pen.fillRect(0, baseline - 9, wide + 4, 12);
    pen.globalAlpha = 1;
    pen.fillStyle = this.colour("--soft");
    pen.fillText(text, 1, baseline);
  }

  wave(pen, width, top, tall, from = this.from, span = this.span) {
    const { step } = this.data.wave;
    const { peaks } = this;
    pen.fillStyle = this.colour("--wave");
    for (let x = 0; x < width; x += 1) {
      const first = Math.floor((from + (x / width) * span) / step);
      const last = Math.max(first + 1, Math.floor((from + ((x + 1) / width) * span) / step));
      let peak = 0;
      for (let i = first; i < last && i < peaks.length; i += 1) peak = Math.max(peak, peaks[i]);
      const half = Math.max((peak / 100) * (tall / 2), 0.5);
      pen.fillRect(x, top + tall / 2 - half, 0.8, 2 * half);
    }
  }

  /* Images of a minute each, dark where it is loud; in the dark they are turned round. */
  spectrogram(pen, width, top, tall) {
    const { seconds, tiles, top: highest } = this.data.spectrogram;
    const scale = window.devicePixelRatio || 1;
    const lane = document.createElement("canvas");
    Object.assign(lane, { width: width * scale, height: tall * scale });
    const brush = lane.getContext("2d");
    brush.fillStyle = "#fff";
    brush.fillRect(0, 0, lane.width, lane.height);
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches && !matchMedia("print").matches;
    brush.globalCompositeOperation = isDark ? "difference" : "multiply";
    for (let tile = Math.floor(this.from / seconds); tile * seconds < this.from + this.span && tile < tiles.length; tile += 1) {
      const image = this.image(tiles[tile]);
      if (!image) continue;
      const end = Math.min((tile + 1) * seconds, this.length);
      const left = this.x(tile * seconds, lane.width);
      brush.drawImage(image, left, 0, this.x(end, lane.width) - left, lane.height);
    }
    pen.globalCompositeOperation = isDark ? "screen" : "multiply";
    pen.fillStyle = this.colour("--card");
    pen.fillRect(0, top, width, tall);
    pen.drawImage(lane, 0, top, width, tall);
    pen.globalCompositeOperation = "source-over";
    for (let kilohertz = 1; kilohertz * 1000 < highest; kilohertz += 1) {
      const y = top + tall * (1 - (kilohertz * 1000) / highest);
      pen.fillStyle = this.colour("--line");
      pen.fillRect(width - 6, y, 6, 1);
      if (kilohertz % 2 === 0) this.right(pen, `${kilohertz} kHz`, width - 8, y + 3);
    }
  }

  /* An image once it is there; it is drawn when it has come. */
  image(source) {
    if (!this.images.has(source)) {
      const image = Object.assign(new Image(), { src: source });
      image.addEventListener("load", () => this.redraw());
      this.images.set(source, image);
    }
    const image = this.images.get(source);
    return image.complete && image.naturalWidth ? image : null;
  }

  /* Semitones from the median, with a line every half octave. */
  pitch(pen, width, top, tall) {
    const { step, values } = this.data.pitch;
    const voiced = Float64Array.from(values.filter((value) => value > 0)).sort();
    if (!voiced.length) return;
    const median = voiced[voiced.length >> 1];
    const semitones = (hertz) => 12 * Math.log2(hertz / median);
    const at = (share) => semitones(voiced[Math.floor(share * (voiced.length - 1))]);
    const [low, high] = [Math.min(at(0.02) - 2, -6.5), Math.max(at(0.98) + 2, 6.5)];
    const y = (value) => top + tall - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * tall;
    const lines = [6, 12, 24].find((each) => (each / (high - low)) * tall >= 18) || 48;
    for (let line = Math.ceil(low / lines) * lines; line < high; line += lines) {
      pen.fillStyle = this.colour("--line");
      pen.fillRect(0, y(line), width, 1);
      this.right(pen, line ? `${line > 0 ? "+" : "−"}${Math.abs(line)} st` : `${Math.round(median)} Hz`, width - 2, y(line) - 2);
    }
    pen.fillStyle = this.colour("--accent");
    const size = Math.min(Math.max((step / this.span) * width, 1.8), 4);
    this.visible(step, values, (value, time) => {
      if (value > 0) pen.fillRect(this.x(time, width) - size / 2, y(semitones(value)) - 0.9, size, 1.8);
    });
  }

  right(pen, text, x, y) {
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.lineWidth = 3;
    pen.strokeStyle = this.colour("--card");
    pen.strokeText(text, x, y);
    pen.fillStyle = this.colour("--soft");
    pen.fillText(text, x, y);
    pen.textAlign = "left";
  }

  level(pen, width, top, tall) {
    const { step, values: level } = this.data.level;
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

  /* Each word under its sound, where there is room for it; else a line where it is. */
  words(pen, width, top, tall) {
    const { start, end, text } = this.data.words;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (let word = 0; word < start.length; word += 1) {
      if (end[word] < this.from || start[word] > this.from + this.span) continue;
      const [left, right] = [this.x(start[word], width), this.x(end[word], width)];
      const isNow = this.now >= start[word] && this.now < end[word];
      pen.fillStyle = this.colour(isNow ? "--now" : "--line");
      pen.fillRect(left, top + tall - 2, Math.max(right - left - 1, 1), 2);
      if (pen.measureText(text[word]).width <= right - left) {
        pen.fillStyle = this.colour("--ink");
        pen.fillText(text[word], (left + right) / 2, top + tall - 5);
      }
    }
    pen.textAlign = "left";
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
    const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
    const step = steps.find((each) => (each / this.span) * width > 55) || 7200;
    const named = (time) => rostrum.clock(time + 1e-6) + (step < 1 ? `.${Math.round((time % 1) * 10) % 10}` : "");
    pen.fillStyle = this.colour("--soft");
    pen.font = "10px system-ui, sans-serif";
    for (let number = Math.ceil(this.from / step); number * step < this.from + this.span; number += 1) {
      const x = this.x(number * step, width);
      pen.fillRect(x, height - 14, 1, 4);
      if (x < width - 26) pen.fillText(named(number * step), x + 3, height - 4);
    }
  }

  /* The whole recording in small, and what of it the view shows. */
  drawMap() {
    this.map.hidden = !this.isZoomed;
    if (!this.isZoomed) return;
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.map;
    Object.assign(this.map, { width: width * scale, height: height * scale });
    const pen = this.map.getContext("2d");
    pen.scale(scale, scale);
    this.wave(pen, width, 0, height, 0, this.length);
    pen.fillStyle = this.colour("--accent");
    pen.globalAlpha = 0.25;
    pen.fillRect((this.from / this.length) * width, 0, Math.max((this.span / this.length) * width, 4), height);
    pen.globalAlpha = 1;
  }
};

/**
 * Scrolls through more rows than an element can be tall.
 *
 * Chromium computes layout in 1/64 physical pixels with 32 bits, so an element ends at 33,554,431 physical pixels. This is
 * 16.7 million CSS pixels at a device pixel ratio of 2, and less on a zoomed page; a million rows of 28 pixels need 28
 * million. The element is therefore at most `CAP` tall, and a taller list has two positions: `real`, the element's
 * scrollTop, and `virtual`, the distance from the first row. A row is drawn at its virtual position minus `shift`.
 *
 * Scrolling by less than one view is one to one: `real` moves and `shift` stays. A larger jump (the scrollbar's thumb) maps
 * `real` to `virtual`: one to one within `EDGE` of both ends, so that both ends can be reached exactly, and stretched in
 * between. One-to-one scrolling drifts from this map. The drift would show at the ends, so it is removed on entering an edge.
 */
export class TallScroll {
  static readonly CAP = 8_000_000;
  static readonly EDGE = 2_000_000;

  #virtualHeight = 0;
  #view = 0;
  #real = 0;
  #virtual = 0;

  get real(): number {
    return this.#real;
  }

  get virtual(): number {
    return this.#virtual;
  }

  /** Subtract this from a row's virtual position to draw it in the element. */
  get shift(): number {
    return this.#virtual - this.#real;
  }

  get realHeight(): number {
    return Math.min(this.#virtualHeight, TallScroll.CAP);
  }

  /** Sets the height of all rows and of the visible part. The virtual position stays, unless it is now past the end. */
  resize(virtualHeight: number, view: number): void {
    if (virtualHeight === this.#virtualHeight && view === this.#view) return;
    const mapped = this.#mapped;
    this.#virtualHeight = virtualHeight;
    this.#view = view;
    // Up to the cap both positions are equal. Above it the drift stays, unless the list has just crossed the cap.
    if (mapped !== this.#mapped || this.#virtual > this.#virtualEnd) this.jump(this.#virtual);
    else this.#real = clamp(this.#real, this.#realEnd);
  }

  /** The element has scrolled to `real`. If `real` differs afterwards, set the element's scrollTop to it. */
  scrolled(real: number): void {
    if (!this.#mapped) {
      this.#real = real;
      this.#virtual = real;
      return;
    }
    if (Math.abs(real - this.#real) > this.#view) {
      this.#real = real;
      this.#virtual = real + Math.round(this.#toVirtual(real) - real);
      return;
    }
    const virtual = clamp(this.#virtual + real - this.#real, this.#virtualEnd);
    this.#real = real;
    this.#virtual = virtual;
    const atEdge = virtual < TallScroll.EDGE || virtual > this.#virtualEnd - TallScroll.EDGE;
    const outOfRoom = real <= 0 || real >= this.#realEnd;
    if (atEdge || outOfRoom) this.#real = this.#realFor(virtual);
  }

  /** Goes to a virtual position, or to the end before it. Set the element's scrollTop to `real` afterwards. */
  jump(virtual: number): void {
    this.#virtual = clamp(virtual, this.#virtualEnd);
    this.#real = this.#realFor(this.#virtual);
  }

  /** As jump(), but keeps the drift for distances within one view, so that the scrollbar's thumb does not jump. */
  moveTo(virtual: number): void {
    const target = clamp(virtual, this.#virtualEnd);
    const real = this.#real + target - this.#virtual;
    const near = Math.abs(target - this.#virtual) <= this.#view;
    if (this.#mapped && near && real > 0 && real < this.#realEnd) this.scrolled(real);
    else this.jump(target);
  }

  get #mapped(): boolean {
    return this.#virtualHeight > TallScroll.CAP;
  }

  get #virtualEnd(): number {
    return Math.max(0, this.#virtualHeight - this.#view);
  }

  get #realEnd(): number {
    return Math.max(0, this.realHeight - this.#view);
  }

  /** The number of virtual pixels for one real pixel between the edges. */
  get #stretch(): number {
    const edges = 2 * TallScroll.EDGE;
    return (this.#virtualEnd - edges) / (this.#realEnd - edges);
  }

  /** Keeps the shift a whole number of pixels: text at fractions of a pixel is blurred. */
  #realFor(virtual: number): number {
    return virtual - Math.round(virtual - this.#toReal(virtual));
  }

  #toVirtual(real: number): number {
    const { EDGE } = TallScroll;
    if (!this.#mapped || real <= EDGE) return clamp(real, this.#virtualEnd);
    if (real >= this.#realEnd - EDGE)
      return clamp(this.#virtualEnd - (this.#realEnd - real), this.#virtualEnd);
    return EDGE + (real - EDGE) * this.#stretch;
  }

  #toReal(virtual: number): number {
    const { EDGE } = TallScroll;
    if (!this.#mapped || virtual <= EDGE) return virtual;
    if (virtual >= this.#virtualEnd - EDGE) return this.#realEnd - (this.#virtualEnd - virtual);
    return EDGE + (virtual - EDGE) / this.#stretch;
  }
}

const clamp = (value: number, max: number) => Math.min(Math.max(0, value), max);

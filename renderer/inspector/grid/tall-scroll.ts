/**
 * Scrolls through more rows than an element may be tall.
 *
 * Chromium lays out in 1/64 physical pixels in 32 bits: an element ends at 33,554,431 physical pixels, which is
 * 16.7 million CSS pixels on a display of double density, and less where the page is zoomed. A million rows of
 * 28 pixels are more than that. So the element is at most `CAP` tall, and a list beyond it has two positions: `real`,
 * the element's scrollTop, and `virtual`, the distance from the first row. Rows are drawn at `virtual - shift`.
 *
 * Scrolling by less than a view is one to one: only `real` moves and `shift` stays. A jump (the scrollbar's thumb) is
 * mapped: one to one within `EDGE` of either end, so that both ends can be reached exactly, and stretched in between.
 * One-to-one scrolling drifts from that map; it is put right where the drift could show, on entering an edge.
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

  /** What to take off a row's virtual position to draw it in the element. */
  get shift(): number {
    return this.#virtual - this.#real;
  }

  get realHeight(): number {
    return Math.min(this.#virtualHeight, TallScroll.CAP);
  }

  /** The heights of all rows and of what is seen of them. Keeps the virtual position where it still exists. */
  resize(virtualHeight: number, view: number): void {
    if (virtualHeight === this.#virtualHeight && view === this.#view) return;
    const mapped = this.#mapped;
    this.#virtualHeight = virtualHeight;
    this.#view = view;
    // Below the cap both are one; above it the drift is kept, unless the map itself began or ended.
    if (mapped !== this.#mapped || this.#virtual > this.#virtualEnd) this.jump(this.#virtual);
    else this.#real = clamp(this.#real, this.#realEnd);
  }

  /** The element was scrolled to `real`. `real` differs afterwards where the element must be moved there. */
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

  /** Goes to a virtual position, as far as it exists. The element must then be moved to `real`. */
  jump(virtual: number): void {
    this.#virtual = clamp(virtual, this.#virtualEnd);
    this.#real = this.#realFor(this.#virtual);
  }

  /** Moves by a distance; shorter than a view, it keeps the drift, so that the thumb does not twitch. */
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

  /** How many virtual pixels one real pixel stands for between the edges. */
  get #stretch(): number {
    const edges = 2 * TallScroll.EDGE;
    return (this.#virtualEnd - edges) / (this.#realEnd - edges);
  }

  /** Whole pixels between the two positions: rows at fractions of a pixel would be blurred. */
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

const clamp = (value: number, most: number) => Math.min(Math.max(0, value), most);

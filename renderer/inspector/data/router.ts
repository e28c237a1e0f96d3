import { formatPlace, type PageName, type Place, parsePlace } from './route.ts';

/** The address as the page's only memory of where it is. */
export class AddressBar {
  readonly #window: Window;
  readonly #listeners = new Set<() => void>();
  /** Where each page was left, so that going back to it brings its filters back. */
  readonly #left = new Map<PageName, Place>();
  #place: Place;

  constructor(of: Window) {
    this.#window = of;
    this.#place = parsePlace(of.location.hash);
    of.addEventListener('popstate', () => this.#set(parsePlace(of.location.hash)));
  }

  readonly place = (): Place => this.#place;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A step that "back" undoes. */
  go(place: Place): void {
    const hash = formatPlace(place);
    if (hash === formatPlace(this.#place)) return;
    this.#window.history.pushState(null, '', hash);
    this.#set(place);
  }

  /** A change too small for a step of its own: a letter in the search, the next message. */
  adjust(place: Place): void {
    this.#window.history.replaceState(null, '', formatPlace(place));
    this.#set(place);
  }

  /** Where a page was left. */
  lastOf(page: PageName): Place {
    return this.#left.get(page) ?? parsePlace(`#/${page}`);
  }

  #set(place: Place): void {
    this.#place = place;
    this.#left.set(place.page, place);
    for (const listener of this.#listeners) listener();
  }
}

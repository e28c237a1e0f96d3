import { formatRoute, type PageName, parseRoute, type Route } from './route.ts';
import { Subscribable } from './subscribable.ts';

/** The current route. The URL is its only storage, so that it survives a reload. */
export class Router extends Subscribable {
  readonly #window: Window;
  /** The last route of each page: its filters return with it. */
  readonly #last = new Map<PageName, Route>();
  #route: Route;

  constructor(window: Window) {
    super();
    this.#window = window;
    this.#route = parseRoute(window.location.hash);
    this.#last.set(this.#route.page, this.#route);
    window.addEventListener('popstate', () => this.#set(parseRoute(window.location.hash)));
  }

  readonly route = (): Route => this.#route;

  /** Adds an entry to the history. */
  push(route: Route): void {
    const hash = formatRoute(route);
    if (hash === formatRoute(this.#route)) return;
    this.#window.history.pushState(null, '', hash);
    this.#set(route);
  }

  /** Changes the current entry of the history: for a letter in the search field, or the next message. */
  replace(route: Route): void {
    this.#window.history.replaceState(null, '', formatRoute(route));
    this.#set(route);
  }

  lastRoute(page: PageName): Route {
    return this.#last.get(page) ?? parseRoute(`#/${page}`);
  }

  #set(route: Route): void {
    this.#route = route;
    this.#last.set(route.page, route);
    this.notify();
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GROUPS_ROUTE, MESSAGES_ROUTE } from '../route.ts';
import { Router } from '../router.ts';

/** The parts of a window that the router uses, with a history that can go back. */
function fakeWindow(hash: string) {
  const entries = [hash];
  const listeners: (() => void)[] = [];
  const window = {
    location: {
      get hash() {
        return entries.at(-1) ?? '';
      },
    },
    history: {
      pushState: (_state: unknown, _title: string, url: string) => entries.push(url),
      replaceState: (_state: unknown, _title: string, url: string) => entries.splice(-1, 1, url),
    },
    addEventListener: (_type: string, listener: () => void) => listeners.push(listener),
  };
  const goBack = () => {
    entries.pop();
    for (const listener of listeners) listener();
  };
  return { window: window as unknown as Window, entries, goBack };
}

test('push adds an entry to the history, and going back restores the route', () => {
  const { window, entries, goBack } = fakeWindow('#/groups');
  const router = new Router(window);
  router.push({ ...MESSAGES_ROUTE, open: { seq: 7, deadId: null } });
  assert.deepEqual(entries, ['#/groups', '#/messages?seq=7']);
  goBack();
  assert.deepEqual(router.route(), GROUPS_ROUTE);
});

test('pushing the current route adds no entry', () => {
  const { window, entries } = fakeWindow('#/groups');
  new Router(window).push(GROUPS_ROUTE);
  assert.deepEqual(entries, ['#/groups']);
});

test('replace changes the current entry', () => {
  const { window, entries } = fakeWindow('#/messages');
  const router = new Router(window);
  router.replace({ ...MESSAGES_ROUTE, search: 'a' });
  assert.deepEqual(entries, ['#/messages?q=a']);
  assert.equal(router.route().search, 'a');
});

test('the last route of a page keeps its filters, also those that the page was opened with', () => {
  const router = new Router(fakeWindow('#/messages?state=dead').window);
  router.push({ ...GROUPS_ROUTE, search: 'a' });
  assert.deepEqual(router.lastRoute('messages'), { ...MESSAGES_ROUTE, state: 'dead' });
  router.push(router.lastRoute('messages'));
  assert.deepEqual(router.lastRoute('groups'), { ...GROUPS_ROUTE, search: 'a' });
});

test('subscribers are called after each change of the route until they unsubscribe', () => {
  const { window, goBack } = fakeWindow('#/groups');
  const router = new Router(window);
  const pages: string[] = [];
  const unsubscribe = router.subscribe(() => pages.push(router.route().page));
  router.push(MESSAGES_ROUTE);
  goBack();
  unsubscribe();
  router.push(MESSAGES_ROUTE);
  assert.deepEqual(pages, ['messages', 'groups']);
});

/** Neither page can leave, reach the network or files, run foreign code, or use Node. */
import type { Page } from '@playwright/test';
import { openInspector } from './support/app.ts';
import { fetchInSession, INSPECTOR, MAIN_WINDOW } from './support/bridges.ts';
import { expect, shareApp, test } from './support/fixtures.ts';

const shared = shareApp(async (launcher) => {
  launcher.expectErrors(
    /Content Security Policy|ERR_BLOCKED_BY_CLIENT|Failed to load resource|Not allowed to load local/,
  );
  const app = await launcher.launch({ paused: true });
  return { app, inspector: await openInspector(app) };
});

const SURFACES = [
  { name: 'the inspector', surface: INSPECTOR, index: '/inspector/index.html' },
  { name: 'the main window', surface: MAIN_WINDOW, index: '/index.html' },
];

for (const { name, surface, index } of SURFACES) {
  const pageOf = ({ app, inspector }: ReturnType<typeof shared>): Page =>
    surface === INSPECTOR ? inspector : app.window;

  test(`${name} cannot navigate, open windows, reach the network, read files or get permissions`, async () => {
    const { electron } = shared().app;
    const page = pageOf(shared());
    const before = { windows: electron.windows().length, url: page.url() };

    for (const target of ['https://example.com/', 'http://127.0.0.1:9/', 'file:///etc/hostname'])
      await page.evaluate((address) => {
        location.href = address;
      }, target);
    expect(await page.evaluate(() => window.open('https://example.com/'))).toBeNull();
    expect(await page.evaluate(() => window.open('about:blank'))).toBeNull();

    const fetched = (address: string) =>
      page.evaluate((from) => fetch(from).then(({ status }) => status, String), address);
    expect(await fetched('https://example.com/')).toMatch(/TypeError/);
    expect(await fetched(index)).toMatch(/TypeError/);
    const image = (from: string) =>
      page.evaluate(
        (source) =>
          new Promise((resolve) => {
            const element = new Image();
            element.onload = () => resolve('loaded');
            element.onerror = () => resolve('refused');
            element.src = source;
          }),
        from,
      );
    expect(await image('http://127.0.0.1:9/x.png')).toBe('refused');
    expect(await image('file:///usr/share/pixmaps/debian-logo.png')).toBe('refused');
    expect(await page.evaluate(() => Notification.requestPermission())).toBe('denied');

    expect({ windows: electron.windows().length, url: page.url() }).toEqual(before);
  });

  test(`${name} runs neither inline scripts nor eval, and cannot use Node`, async () => {
    const page = pageOf(shared());
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.inlineRan = true';
      document.body.append(script);
      const image = document.createElement('div');
      image.innerHTML = '<img src="data:," onerror="window.inlineRan = true">';
      document.body.append(image);
      return 'inlineRan' in window;
    });
    expect(ran).toBe(false);
    // In a task of its own: the policy does not apply to code that Playwright evaluates.
    const evaluated = await page.evaluate(
      () =>
        new Promise((resolve) => {
          setTimeout(() => {
            try {
              resolve(new Function('return 1')());
            } catch (error) {
              resolve((error as Error).name);
            }
          });
        }),
    );
    expect(evaluated).toBe('EvalError');
    expect(await page.evaluate(() => 'inlineRan' in window)).toBe(false);
    const types = await page.evaluate(() => [typeof require, typeof process, typeof module]);
    expect(types).toEqual(['undefined', 'undefined', 'undefined']);
  });

  test(`${name} is served only its own files, with its own headers`, async () => {
    const { electron } = shared().app;
    const served = await fetchInSession(electron, surface, index);
    expect(served).toMatchObject({ status: 200, sniff: 'nosniff' });
    expect(served.policy).toContain("default-src 'none'");
    for (const path of [
      '/..%2fmain/main.js',
      '/%2e%2e/main/main.js',
      '/..%5cmain%5cmain.js',
      '/main/main.js',
      '/',
    ])
      expect(await fetchInSession(electron, surface, path)).toMatchObject({ status: 404 });
  });
}

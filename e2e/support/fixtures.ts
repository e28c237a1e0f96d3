/** Playwright's `test` with the app: launched by a test for itself, or shared by the tests of a file or describe block. */
import { test as base, type TestInfo } from '@playwright/test';
import { Launcher } from './launcher.ts';

export { expect } from '@playwright/test';

export const test = base.extend<{ launcher: Launcher }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from the pattern.
  launcher: async ({}, use, testInfo) => {
    const launcher = new Launcher();
    await use(launcher);
    await end(launcher, testInfo);
  },
});

/**
 * Launches one app for all tests of a file or describe block, because a launch takes longer than most tests. Returns a function that
 * returns the app. Each test must work on its own messages and windows.
 */
export function shareApp<App>(launch: (launcher: Launcher) => Promise<App>): () => App {
  const launcher = new Launcher();
  let app: App | undefined;
  test.beforeAll(async () => {
    app = await launch(launcher);
  });
  test.afterEach(() => launcher.check());
  test.afterAll(() => end(launcher, test.info()));
  return () => {
    if (app === undefined) throw new Error('The app is launched before the first test.');
    return app;
  };
}

async function end(launcher: Launcher, testInfo: TestInfo): Promise<void> {
  const outputs = await launcher.end();
  for (const [index, body] of outputs.entries())
    if (body !== '') await testInfo.attach(`output-${index + 1}.txt`, { body });
  launcher.check();
}

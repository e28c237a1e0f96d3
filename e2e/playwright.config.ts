import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';

const out = (name: string) => fileURLToPath(new URL(`../out/${name}`, import.meta.url));

export default defineConfig({
  testDir: '.',
  outputDir: out('e2e'),
  forbidOnly: true,
  // A test that passes only when it is repeated has found a bug.
  retries: 0,
  // Windows of two apps on one display take the focus from each other.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  globalTimeout: 15 * 60_000,
  reporter: [['list'], ['json', { outputFile: out('e2e.json') }]],
});

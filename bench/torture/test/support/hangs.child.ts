/** Program: a torture run that stops reporting. */
process.send?.({ start: { title: 'A run that hangs', size: 1, unit: 'loops', quietMs: 50 } });
process.send?.({ progress: 'the first loop' }, () => {
  for (;;);
});

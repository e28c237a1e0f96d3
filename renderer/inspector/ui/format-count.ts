const NUMBER = new Intl.NumberFormat('en');

/** 1234567 as 1,234,567. */
export const formatNumber = (value: number) => NUMBER.format(value);

/** "1 message", "2 messages". */
export const formatCount = (value: number, noun: string) =>
  `${formatNumber(value)} ${value === 1 ? noun : `${noun}s`}`;

const NUMBER = new Intl.NumberFormat('en');

/** 1234567 as 1,234,567. */
export const count = (value: number) => NUMBER.format(value);

/** "1 message", "2 messages". */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;

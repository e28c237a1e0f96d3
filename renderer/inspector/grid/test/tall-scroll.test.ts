import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TallScroll } from '../tall-scroll.ts';

const VIEW = 600;
const TALL = 28_000_000;

function tall(height = TALL) {
  const scroll = new TallScroll();
  scroll.resize(height, VIEW);
  return scroll;
}

test('a list below the cap scrolls one to one', () => {
  const scroll = tall(5_000_000);
  assert.equal(scroll.realHeight, 5_000_000);
  for (const real of [0, 17, 4_000_000, 4_999_400]) {
    scroll.scrolled(real);
    assert.equal(scroll.virtual, real);
    assert.equal(scroll.shift, 0);
  }
});

test('the thumb reaches the first and the last row of a list above the cap', () => {
  const scroll = tall();
  assert.equal(scroll.realHeight, TallScroll.CAP);
  scroll.scrolled(TallScroll.CAP - VIEW);
  assert.equal(scroll.virtual, TALL - VIEW);
  scroll.scrolled(0);
  assert.equal(scroll.virtual, 0);
});

test('the thumb in the middle shows the middle', () => {
  const scroll = tall();
  scroll.scrolled((TallScroll.CAP - VIEW) / 2);
  assert.ok(Math.abs(scroll.virtual - (TALL - VIEW) / 2) < 1);
});

test('a small scroll moves the rows by exactly its distance, at any position', () => {
  const scroll = tall();
  for (const start of [500, 1_999_900, 4_000_000, 6_000_200, TallScroll.CAP - 2000]) {
    scroll.scrolled(start);
    for (let i = 0; i < 50; i++) {
      const before = scroll.virtual;
      scroll.scrolled(scroll.real + 28);
      assert.ok(Math.abs(scroll.virtual - Math.min(before + 28, TALL - VIEW)) < 1e-6);
    }
  }
});

test('small steps up from the middle reach the first row before the element reaches its top', () => {
  const scroll = tall();
  scroll.scrolled(2_400_000);
  let steps = 0;
  while (scroll.virtual > 0) {
    assert.ok(scroll.real > 0, 'the element can still scroll up');
    scroll.scrolled(Math.max(0, scroll.real - 500));
    assert.ok(steps++ < 20_000);
  }
  assert.equal(scroll.real, 0);
});

test('small steps down from the middle reach the last row before the element reaches its end', () => {
  const scroll = tall();
  scroll.scrolled(5_700_000);
  let steps = 0;
  while (scroll.virtual < TALL - VIEW) {
    assert.ok(scroll.real < TallScroll.CAP - VIEW, 'the element can still scroll down');
    scroll.scrolled(Math.min(TallScroll.CAP - VIEW, scroll.real + 500));
    assert.ok(steps++ < 20_000);
  }
  assert.equal(scroll.real, TallScroll.CAP - VIEW);
});

test('a jump goes to the given virtual position, or to the end of the list', () => {
  const scroll = tall();
  for (const virtual of [0, 28, 1_999_999, 2_000_001, 14_000_000, 27_000_000, TALL - VIEW]) {
    scroll.jump(virtual);
    assert.equal(scroll.virtual, virtual);
    assert.ok(scroll.real >= 0 && scroll.real <= TallScroll.CAP - VIEW);
    assert.equal(scroll.real + scroll.shift, virtual);
    assert.equal(scroll.shift, Math.round(scroll.shift), 'the shift is a whole number of pixels');
  }
  scroll.jump(TALL * 2);
  assert.equal(scroll.virtual, TALL - VIEW);
});

test('a list that shrinks keeps its virtual position, or moves to its new end', () => {
  const scroll = tall();
  scroll.jump(20_000_000);
  scroll.resize(TALL - 28, VIEW);
  assert.equal(scroll.virtual, 20_000_000);
  scroll.resize(10_000_000, VIEW);
  assert.equal(scroll.virtual, 10_000_000 - VIEW);
  scroll.resize(1_000, VIEW);
  assert.equal(scroll.virtual, 400);
  assert.equal(scroll.real, 400);
});

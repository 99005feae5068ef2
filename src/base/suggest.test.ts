import { describe, expect, test } from 'vitest';
import { didYouMean, nearestName } from './suggest.ts';

const KNOWN = ['build', 'review', 'deploy', 'on_complete'];

describe('did you mean', () => {
  test.each([
    ['biuld', 'build'],
    ['reveiw', 'review'],
    ['Deploy', 'deploy'],
    ['on_complet', 'on_complete'],
  ])('for %s offers %s', (given, name) => {
    expect(nearestName(given, KNOWN)).toBe(name);
    expect(didYouMean(given, KNOWN)).toBe(` (did you mean "${name}"?)`);
  });

  test.each(['', 'x', 'entirely-else', 'rebuild-all'])('for %j offers nothing: it is not a typo', (given) => {
    expect(nearestName(given, KNOWN)).toBeUndefined();
    expect(didYouMean(given, KNOWN)).toBe('');
  });

  test('prefers the nearer of two', () => {
    expect(nearestName('transitio', ['transitive', 'transition'])).toBe('transition');
  });
});

import { nullTranslator } from '@jupyterlab/translation';
import {
  formatCost,
  formatDuration,
  formatElapsed,
  formatMetricValue,
  formatTokens
} from '../format';
import { usage } from '../../__tests__/attempts';

const trans = nullTranslator.load('jupyterlab_refine');

describe('formats', () => {
  it.each([
    [0.2, '<1 ms'],
    [31, '31 ms'],
    [999.7, '1.0 s'],
    [1900, '1.9 s'],
    [59_980, '1 min 0 s'],
    [125_000, '2 min 5 s']
  ])('duration %d ms', (ms, expected) => {
    expect(formatDuration(ms, trans)).toBe(expected);
  });

  it('shows elapsed time in whole seconds', () => {
    expect(formatElapsed(11_999, trans)).toBe('11 s');
    expect(formatElapsed(61_000, trans)).toBe('1 min 1 s');
    expect(formatElapsed(-5, trans)).toBe('0 s');
  });

  it.each([
    [null, 'cost unknown'],
    [0, '$0'],
    [0.00004, '$0.00004'],
    [0.004, '$0.004'],
    [0.0062, '$0.006'],
    [0.011, '$0.011'],
    [0.12, '$0.12'],
    [0.999, '$0.999'],
    [1.5, '$1.50'],
    [12.3, '$12.30']
  ])('cost %p', (cost, expected) => {
    expect(formatCost(usage(100, cost), true, trans)).toBe(expected);
  });

  it('says when tokens are estimated, and nothing without a call', () => {
    expect(formatTokens(usage(2140), trans)).toBe('2,140 tokens');
    expect(formatTokens({ ...usage(2140), estimated: true }, trans)).toBe(
      'about 2,140 tokens'
    );
    expect(formatTokens(usage(0), trans)).toBeNull();
    expect(formatCost(usage(0), true, trans)).toBeNull();
  });

  it('says of what day the prices are that are the vendor’s list', () => {
    const listed = { ...usage(100, 0.0041), listed: '2026-08-05' };
    expect(formatCost(listed, false, trans)).toBe(
      '$0.004 at list prices of 2026-08-05'
    );
  });

  it('keeps four digits of a metric, and a whole number as it is', () => {
    expect(formatMetricValue(1234567)).toBe('1234567');
    expect(formatMetricValue(0.41234)).toBe('0.4123');
    expect(formatMetricValue(NaN)).toBe('NaN');
  });
});

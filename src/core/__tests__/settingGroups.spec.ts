/** @jest-environment node */
import { english } from '../text/english';
import { SETTING_GROUPS, SETTING_NAMES, groupHeading } from '../settingGroups';
import { settingsSchema } from '../settings';

it('puts every setting into exactly one group', () => {
  expect([...SETTING_NAMES].sort()).toEqual(
    Object.keys(settingsSchema.shape).sort()
  );
});

it('names each group', () => {
  const headings = SETTING_GROUPS.map(group => groupHeading(group, english));
  expect(new Set(headings).size).toBe(SETTING_GROUPS.length);
});

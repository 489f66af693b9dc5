/** @jest-environment node */
import { SETTING_NAMES } from '../settingGroups';
import { settingsSchema } from '../settings';

it('puts every setting into exactly one group', () => {
  expect([...SETTING_NAMES].sort()).toEqual(
    Object.keys(settingsSchema.shape).sort()
  );
});

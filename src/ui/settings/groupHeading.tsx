import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { groupHeading, type SettingGroup } from '../../core/settingGroups';
import type { ModelSetup } from '../../tokens';
import { limitsOf } from './serverLimit';

/** The name of a group of settings, with what the server's policy says on all of it. */
export function GroupHeading(props: {
  readonly group: SettingGroup;
  readonly models: ModelSetup;
  readonly trans: TranslationBundle;
}): JSX.Element {
  const { group, models, trans } = props;
  const limits = limitsOf(models);
  return (
    <>
      <h3 className="jp-Refine-settingGroup">{groupHeading(group, trans)}</h3>
      {group.id === 'models' && limits?.allowKeyFromPanel === false ? (
        <p className="jp-Refine-settingPolicy">
          {trans.__(
            'This server does not accept a key from the panel. Its administrator chooses the models.'
          )}
        </p>
      ) : null}
      {group.id === 'limits' && typeof limits?.dailyTokenLimit === 'number' ? (
        <p className="jp-Refine-settingPolicy">
          {trans.__(
            'This server allows %1 tokens a day for all its users; %2 are used today.',
            limits.dailyTokenLimit.toLocaleString(),
            limits.dailyTokensUsed.toLocaleString()
          )}
        </p>
      ) : null}
    </>
  );
}

/** What the server's policy allows, beside the settings that it limits. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ModelSetup, ServerLimits } from '../../tokens';

/** Null before the server has answered. */
export function limitsOf(models: ModelSetup): ServerLimits | null {
  return 'policy' in models ? (models.policy ?? null) : null;
}

const LIMITED = ['maxAttempts', 'maxTokens', 'sessionTimeout'] as const;

/** The limit for one setting; nothing where there is none. */
export function ServerLimit(props: {
  readonly name: string;
  readonly value: unknown;
  readonly limits: ServerLimits | null;
  readonly trans: TranslationBundle;
}): JSX.Element | null {
  const { value, limits, trans } = props;
  const name = LIMITED.find(limited => limited === props.name);
  const limit = (name && limits?.[name]) ?? null;
  if (limit === null) {
    return null;
  }
  const lowered = typeof value !== 'number' || value > limit;
  return (
    <p className="jp-Refine-settingPolicy">
      {lowered
        ? trans.__(
            'This server allows at most %1 and uses that instead.',
            limit
          )
        : trans.__('This server allows at most %1.', limit)}
    </p>
  );
}

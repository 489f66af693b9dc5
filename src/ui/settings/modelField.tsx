/** A setting that names a model, in JupyterLab's settings form: a list of the models that the server knows. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IFormRenderer } from '@jupyterlab/ui-components';
import * as React from 'react';
import { useEffect, useState } from 'react';
import type { IRefineManager, ModelProfile } from '../../tokens';
import { visibleLine } from '../shared/safeText';
import { useRefineView } from '../shared/services';

type FieldRenderer = NonNullable<IFormRenderer['fieldRenderer']>;
type FieldProps = React.ComponentProps<FieldRenderer>;

/** The first setting that is folded away, see `SETTING_NAMES`. */
const FIRST_FOLDED = 'evaluatorModel';

export function modelField(
  manager: IRefineManager,
  trans: TranslationBundle
): FieldRenderer {
  return function RefineModel(props: FieldProps) {
    return (
      <>
        {props.name === FIRST_FOLDED ? <MoreSettings trans={trans} /> : null}
        <ModelSelect {...props} manager={manager} trans={trans} />
      </>
    );
  };
}

/** Shows the settings from here on; what hides them is in settings.css. */
function MoreSettings({ trans }: { readonly trans: TranslationBundle }) {
  const [open, setOpen] = useState(false);
  return (
    <button
      type="button"
      className="jp-Refine-moreSettings jp-mod-styled jp-mod-reject"
      aria-expanded={open}
      onClick={() => setOpen(!open)}
    >
      {open ? trans.__('Fewer settings') : trans.__('All settings')}
    </button>
  );
}

function ModelSelect(
  props: FieldProps & {
    readonly manager: IRefineManager;
    readonly trans: TranslationBundle;
  }
): JSX.Element {
  const { name, schema, idSchema, manager, trans, onChange } = props;
  const { models } = useRefineView(manager);
  useEffect(() => {
    // The form works without them.
    manager.refreshModels().catch(console.warn);
  }, [manager]);
  const chosen = String(props.formData ?? '');
  const profiles = 'profiles' in models ? (models.profiles ?? []) : [];
  return (
    <div className="jp-Refine-modelSetting">
      <label htmlFor={idSchema.$id} className="jp-FormGroup-fieldLabel">
        {schema.title ?? name}
      </label>
      <select
        id={idSchema.$id}
        className="form-control"
        value={chosen}
        onChange={event => onChange(event.target.value)}
      >
        <option value="">{trans.__('Default')}</option>
        <ModelOptions profiles={profiles} chosen={chosen} trans={trans} />
      </select>
    </div>
  );
}

/** The models of each server, as `profile/model`; the chosen one also where no server lists it. */
export function ModelOptions(props: {
  readonly profiles: readonly ModelProfile[];
  readonly chosen: string;
  readonly trans: TranslationBundle;
}): JSX.Element {
  const { profiles, chosen, trans } = props;
  const groups = profiles.map(profile => ({
    profile,
    choices: (profile.models.length > 0
      ? profile.models
      : profile.defaultModel !== null
        ? [profile.defaultModel]
        : []
    ).map(model => ({ model, choice: `${profile.name}/${model}` }))
  }));
  const isListed =
    chosen === '' ||
    groups.some(group => group.choices.some(({ choice }) => choice === chosen));
  return (
    <>
      {isListed ? null : (
        <option value={chosen}>
          {trans.__('%1 (not listed)', visibleLine(chosen))}
        </option>
      )}
      {groups.map(({ profile: { name, host, demo }, choices }) => (
        <optgroup
          key={name}
          label={
            demo
              ? trans.__('%1 (recorded)', visibleLine(name))
              : trans.__('%1 on %2', visibleLine(name), visibleLine(host))
          }
        >
          {choices.map(({ model, choice }) => (
            <option key={choice} value={choice}>
              {visibleLine(model)}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
}

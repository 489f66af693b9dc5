import * as React from 'react';
import { useContext, useMemo } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  ErrorFrame,
  ExecutionError,
  LocalVariable
} from '../../core/domain/execution';
import { valueTree, type ValueNode } from '../../core/python/valueTree';
import type { AttemptState } from '../../core/events/state';
import { visibleLine, visibleText } from '../shared/safeText';
import { HiddenNamesContext, usePanelServices } from '../shared/services';

/** Variables of one frame; without a place, those of the only frame. */
type Frame = Pick<ErrorFrame, 'locals'> & Partial<ErrorFrame>;

/** Frames of what the candidate raised, else of the first check that raised; the innermost first. */
export function framesOf(attempt: AttemptState): readonly Frame[] {
  const errors = [
    attempt.execution?.error,
    ...attempt.assertions.map(({ error }) => error)
  ];
  return errors.map(framesOfError).find(frames => frames.length > 0) ?? [];
}

function framesOfError(error: ExecutionError | undefined): readonly Frame[] {
  const { frames, locals = [] } = error ?? {};
  return frames
    ? frames.filter(frame => frame.locals.length > 0).reverse()
    : locals.length > 0
      ? [{ locals }]
      : [];
}

/** The variables of each frame. */
export function LocalsView(props: {
  readonly frames: readonly Frame[];
}): JSX.Element {
  const { trans } = usePanelServices();
  const { frames } = props;
  const withValues = frames.some(({ locals }) =>
    locals.some(({ repr }) => repr !== undefined)
  );
  return (
    // What is scrolled can be reached with the keyboard.
    <div className="jp-Refine-locals" tabIndex={0}>
      {frames.map((frame, i) => (
        <LocalsTable key={i} frame={frame} />
      ))}
      {withValues ? null : (
        <p className="jp-Refine-quiet">
          {trans.__(
            'Types only. To see values, set “Context values” to samples; the model then sees them too.'
          )}
        </p>
      )}
    </div>
  );
}

function LocalsTable(props: { readonly frame: Frame }): JSX.Element {
  const { trans } = usePanelServices();
  const { frame } = props;
  return (
    <table>
      {frame.where === undefined ? null : (
        <caption>{visibleLine(placeOf(frame, trans))}</caption>
      )}
      <thead className="jp-Refine-hidden">
        <tr>
          <th>{trans.__('Name')}</th>
          <th>{trans.__('Type')}</th>
          <th>{trans.__('Value')}</th>
        </tr>
      </thead>
      <tbody>
        {frame.locals.map((variable, i) => (
          <Local key={i} variable={variable} />
        ))}
      </tbody>
    </table>
  );
}

function Local(props: { readonly variable: LocalVariable }): JSX.Element {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  const { name, type, shape = '', repr = '' } = props.variable;
  return (
    <tr>
      <th scope="row">{visibleText(name)}</th>
      <td>{visibleText(`${type} ${shape}`.trim())}</td>
      <td>{hidden.has(name) ? trans.__('hidden') : <Value text={repr} />}</td>
    </tr>
  );
}

/** A value; what a container holds opens on a click, as far as it was recorded. */
function Value(props: { readonly text: string }): JSX.Element {
  const items = useMemo(() => valueTree(props.text), [props.text]);
  return <ValueItems text={props.text} items={items} />;
}

function ValueItems(props: {
  readonly label?: string | null;
  readonly text: string;
  readonly items: readonly ValueNode[];
}): JSX.Element {
  const { label = null, text, items } = props;
  const key =
    label === null ? null : (
      <span className="jp-Refine-valueKey">{visibleLine(label, 80)}: </span>
    );
  return items.length === 0 ? (
    <>
      {key}
      {visibleText(text)}
    </>
  ) : (
    <details className="jp-Refine-value">
      <summary>
        {key}
        {visibleText(text)}
      </summary>
      <ul>
        {items.map((item, i) => (
          <li key={i}>
            <ValueItems
              label={item.label}
              text={item.text}
              items={item.children}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** `half, line 4 of the attempt`. */
function placeOf(
  { function: name = '', where, line = 0 }: Frame,
  trans: TranslationBundle
): string {
  const place =
    where === 'candidate'
      ? trans.__('line %1 of the attempt', line)
      : where === 'check'
        ? trans.__('line %1 of a check cell', line)
        : trans.__('line %1 of a cell above', line);
  return name === '<module>' ? place : trans.__('%1, %2', name, place);
}

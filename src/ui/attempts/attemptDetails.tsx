import * as React from 'react';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  DisplayData,
  ErrorFrame,
  ExecutionError,
  LocalVariable
} from '../../core/domain/execution';
import type { AttemptState } from '../../core/events/state';
import { CopyButton } from '../shared/copyButton';
import { LinkButton, useFirst, type OnClick } from '../shared/button';
import { MessageList } from '../prompt/whatIsSent';
import { terminalText, visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices, HiddenNamesContext } from '../shared/services';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Characters of a long text that are shown at once; its end matters most. */
const SHOWN = 20_000;

/** What the menu opens. */
type Detail = {
  readonly label: string;
  /** The whole text, also where a part is shown; empty: there is none to copy. */
  readonly text: string;
  /** Default: where there is text. */
  readonly there?: boolean;
  /** Default: the text. */
  readonly body?: () => JSX.Element;
};

/** What else one can do with an attempt. */
export type AttemptAction = {
  readonly label: string;
  readonly title: string;
  readonly onClick: OnClick;
};

/** Facts of an attempt, its code, one menu, its button; the menu opens what it printed, raised, held and was asked. */
export function AttemptDetails(props: {
  readonly attempt: AttemptState;
  /** Already formatted: time, tokens. */
  readonly facts: readonly string[];
  /** The link to the code; the button at the end. */
  readonly code: React.ReactNode;
  readonly action: React.ReactNode;
  /** First in the menu. */
  readonly actions: readonly AttemptAction[];
  readonly menuRef: React.Ref<HTMLButtonElement>;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { attempt, facts, code, action, actions, menuRef } = props;
  const [menu, setMenu] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const id = useId();
  const details = detailsOf(attempt, trans);
  // Where it has no code, all that came is the answer.
  const first = attempt.failure?.code === 'no-code' ? trans.__('answer') : '';
  const shown = details.find(({ label }) => label === (open ?? first));
  return (
    <>
      <div className="jp-Refine-attemptFoot">
        <ul className="jp-Refine-facts">
          {facts.map(fact => (
            <li key={fact}>{fact}</li>
          ))}
          {code ? <li>{code}</li> : null}
        </ul>
        {actions.length + details.length > 0 ? (
          <button
            type="button"
            ref={menuRef}
            className="jp-Refine-menuButton"
            aria-label={trans.__('More of attempt %1', attempt.attempt)}
            aria-expanded={menu}
            aria-controls={menu ? `${id}-menu` : undefined}
            onClick={() => {
              setMenu(!menu);
              setOpen(null);
            }}
          >
            ⋯
          </button>
        ) : null}
        {action}
      </div>
      {menu ? (
        <ul id={`${id}-menu`} className="jp-Refine-attemptMenu">
          {actions.map(({ label, ...rest }) => (
            <li key={label}>
              <LinkButton {...rest}>{label}</LinkButton>
            </li>
          ))}
          {details.map(({ label }) => (
            <li key={label}>
              <LinkButton
                expanded={shown?.label === label}
                controls={id}
                onClick={() => setOpen(shown?.label === label ? '' : label)}
              >
                {label}
              </LinkButton>
            </li>
          ))}
        </ul>
      ) : null}
      {shown !== undefined ? (
        <div
          id={id}
          role="region"
          aria-label={shown.label}
          className="jp-Refine-detail"
        >
          {shown.text === '' ? null : (
            <CopyButton
              label={trans.__('Copy the %1', shown.label)}
              text={shown.text}
            />
          )}
          {shown.body?.() ?? <LongText text={shown.text} follow={false} />}
        </div>
      ) : null}
    </>
  );
}

/** What there is of an attempt. */
function detailsOf(
  attempt: AttemptState,
  trans: TranslationBundle
): readonly Detail[] {
  const { thoughts, prompt, answer = '' } = attempt;
  const follow = attempt.phase !== 'ended';
  const output = outputOf(attempt);
  const frames = framesOf(attempt);
  const displays = attempt.execution?.displays ?? [];
  const details: readonly Detail[] = [
    {
      label: trans.__('thoughts'),
      text: thoughts.trim(),
      body: () => <LongText text={thoughts} follow={follow} prose />
    },
    {
      label: trans.__('output'),
      text: output,
      there: output !== '' || displays.length > 0,
      body: () => (
        <>
          {output === '' ? null : <LongText text={output} follow={follow} />}
          <DisplayList displays={displays} />
        </>
      )
    },
    { label: trans.__('traceback'), text: tracebackOf(attempt) },
    {
      label: trans.__('locals'),
      text: '',
      there: frames.length > 0,
      body: () => <LocalsView frames={frames} />
    },
    {
      label: trans.__('prompt'),
      text: prompt
        .map(({ role, content }) => `${role}:\n${content}`)
        .join('\n\n'),
      body: () => <MessageList messages={prompt} />
    },
    { label: trans.__('answer'), text: answer }
  ];
  return details.filter(({ text, there = text !== '' }) => there);
}

/** The end of a text; all of it on a click. */
function LongText(props: {
  readonly text: string;
  readonly follow: boolean;
  readonly prose?: boolean;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { text, follow, prose } = props;
  const { ref, onScroll } = useFollowEnd<HTMLPreElement>(text, follow);
  const [all, setAll] = useState(false);
  const before = all ? 0 : Math.max(0, text.length - SHOWN);
  return (
    <>
      {before > 0 ? (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {trans.__(
            'The last %1 of %2 characters.',
            SHOWN.toLocaleString(),
            text.length.toLocaleString()
          )}{' '}
          <LinkButton onClick={() => setAll(true)}>
            {trans.__('Show all')}
          </LinkButton>
        </p>
      ) : null}
      <pre
        ref={ref}
        onScroll={onScroll}
        tabIndex={0}
        className={`jp-Refine-text${prose ? ' jp-mod-prose' : ''}`}
      >
        {terminalText(text.slice(before))}
      </pre>
    </>
  );
}

/** Printed text: all that was kept, once the attempt has ended; its end while it runs. */
function outputOf({ execution, output }: AttemptState): string {
  const whole = execution ? execution.stdout + execution.stderr : '';
  return whole.length > output.length ? whole : output;
}

/** Of the candidate, of a cut, or of the statements that failed. */
function tracebackOf(attempt: AttemptState): string {
  const { execution } = attempt;
  if (execution?.error) {
    return execution.error.traceback;
  }
  if (execution?.stack) {
    return execution.stack;
  }
  return attempt.assertions.flatMap(a => a.error?.traceback || []).join('\n\n');
}

/** Variables of one frame; without a place, those of the only frame. */
type Frame = Pick<ErrorFrame, 'locals'> & Partial<ErrorFrame>;

/** Frames of what the candidate raised, else of the first check that raised; the innermost first. */
function framesOf(attempt: AttemptState): readonly Frame[] {
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
function LocalsView(props: { readonly frames: readonly Frame[] }): JSX.Element {
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
      <td>{hidden.has(name) ? trans.__('hidden') : visibleText(repr)}</td>
    </tr>
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

/** Outputs shown at once. */
const OUTPUTS = 10;

/** The rich outputs of an attempt, in order. */
export function DisplayList(props: {
  readonly displays: readonly DisplayData[];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [shown, more] = useFirst(props.displays, OUTPUTS);
  return shown.length === 0 ? null : (
    <>
      <ul
        className="jp-Refine-displays"
        aria-label={trans.__('Plots and tables')}
      >
        {shown.map((display, i) => (
          <li key={i}>
            <Display display={display} number={i + 1} />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}

function Display(props: {
  readonly display: DisplayData;
  readonly number: number;
}): JSX.Element {
  const { trans, renderer } = usePanelServices();
  const host = useRef<HTMLDivElement>(null);
  const [rendered, setRendered] = useState(true);
  const { display, number } = props;
  const { mime, data, text, leftOut } = display;
  const isText = mime === 'text/plain' || mime === 'application/json';
  const label = trans.__('Output %1', number);
  // While the host is still in the page: a Lumino widget cannot be detached from a removed one.
  useLayoutEffect(() => {
    const { current } = host;
    if (current && leftOut === undefined && !isText) {
      const rendered = renderer.render(display, label, current);
      setRendered(rendered !== null);
      return () => rendered?.dispose();
    }
    return undefined;
  }, [renderer, display, label, isText, leftOut]);
  const plain = isText && leftOut === undefined ? data : text;
  const withText = isText || leftOut !== undefined || !rendered;
  return (
    <>
      {leftOut !== undefined ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'An output of type %1 was not kept (%2 characters).',
            visibleLine(mime, 80),
            leftOut.toLocaleString()
          )}
        </p>
      ) : !rendered ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'An output of type %1 is not shown here. Use the attempt and run the cell to see it.',
            visibleLine(mime, 80)
          )}
        </p>
      ) : null}
      {withText && plain !== undefined ? (
        <pre tabIndex={0} aria-label={label}>
          {terminalText(plain)}
        </pre>
      ) : null}
      <div
        className="jp-Refine-display"
        ref={host}
        hidden={withText}
        role="group"
        aria-label={label}
        tabIndex={withText ? undefined : 0}
      />
    </>
  );
}

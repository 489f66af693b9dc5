import * as React from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { RefineRequest } from '../../core/domain/request';
import type { IRefineManager, TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { MessageList } from './messageList';
import { visibleText } from '../shared/safeText';
import { translated } from '../../core/messages/translated';
import { usePanelServices } from '../shared/services';

type Preview = Awaited<ReturnType<IRefineManager['previewRequest']>>;

type Loading =
  | { readonly status: 'closed' }
  | { readonly status: 'loading' }
  | { readonly status: 'shown'; readonly preview: Preview }
  | { readonly status: 'failed'; readonly message: string };

/** "What will be sent": the exact text, before anything leaves. */
export function WhatIsSent(props: {
  readonly target: TargetView;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { cellId, prompt, assertions } = props.target;
  const [loading, setLoading] = useState<Loading>({ status: 'closed' });
  const newest = useRef(0);
  const id = useId();

  const load = async () => {
    const turn = ++newest.current;
    setLoading({ status: 'loading' });
    let next: Loading;
    try {
      next = { status: 'shown', preview: await manager.previewRequest() };
    } catch (error) {
      next = {
        status: 'failed',
        message: error instanceof Error ? error.message : String(error)
      };
    }
    if (turn === newest.current) {
      setLoading(next);
    }
  };
  const close = () => {
    newest.current++;
    setLoading({ status: 'closed' });
  };
  // What was shown is no longer what would be sent.
  useEffect(() => close, [cellId, prompt, assertions]);

  const open = loading.status !== 'closed';
  return (
    <div>
      <p className="jp-Refine-plan">
        <LinkButton
          expanded={open}
          controls={id}
          onClick={() => (open ? close() : void load())}
        >
          {trans.__('What will be sent')}
        </LinkButton>
        {loading.status === 'shown'
          ? trans.__(': %1', sentSummary(loading.preview.request, trans))
          : trans.__(': %1', expectedSummary(props.target, trans))}
      </p>
      {open ? (
        <div id={id} className="jp-Refine-sent">
          {loading.status === 'loading' ? (
            <p className="jp-Refine-quiet">{trans.__('Asking the kernel…')}</p>
          ) : null}
          {loading.status === 'failed' ? (
            <p className="jp-Refine-problem" role="alert">
              {visibleText(translated(loading.message, trans))}
            </p>
          ) : null}
          {loading.status === 'shown' ? (
            <MessageList messages={loading.preview.messages} />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** Before it is known exactly; a model never sees hold-outs. */
function expectedSummary(
  { prompt, assertions }: TargetView,
  trans: TranslationBundle
): string {
  const hasPrompt = prompt.trim() !== '';
  if (assertions > 0) {
    return hasPrompt
      ? trans.__('this prompt, the checks, cells above, variables named')
      : trans.__('the checks, cells above, variables named');
  }
  return hasPrompt
    ? trans.__('this prompt, cells above, variables named')
    : trans.__('this cell, cells above, variables named');
}

/** `this prompt, 4 assertions, 6 cells above, types of 3 variables`. */
function sentSummary(request: RefineRequest, trans: TranslationBundle): string {
  const { cells, cellsLeftOut, variables, values } = request.context;
  const checks = request.assertions.length;
  const parts =
    request.prompt.trim() !== ''
      ? [trans.__('this prompt')]
      : checks === 0
        ? [trans.__('this cell')]
        : [];
  if (checks > 0) {
    parts.push(trans._n('%1 assertion cell', '%1 assertion cells', checks));
  }
  if (cells.length > 0) {
    parts.push(trans._n('%1 cell above', '%1 cells above', cells.length));
  }
  if (cellsLeftOut > 0) {
    parts.push(trans._n('%1 left out', '%1 left out', cellsLeftOut));
  }
  if (variables.length > 0) {
    parts.push(
      values === 'samples'
        ? trans._n(
            'types and samples of %1 variable',
            'types and samples of %1 variables',
            variables.length
          )
        : trans._n(
            'types of %1 variable',
            'types of %1 variables',
            variables.length
          )
    );
  }
  return parts.join(', ');
}

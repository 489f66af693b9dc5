/** From a planned target to the request that the loop takes. */
import type { RefineOptions } from '../core/settings';
import type {
  RefineRequest,
  RequestChecks,
  VariableInfo
} from '../core/domain/request';
import { resultNames } from './structure/names';
import type { NotebookCell } from './structure/cells';
import { resolveOptions } from './options';
import { chooseContext } from './structure/context';
import { hiddenData, hiddenNames } from './structure/hidden';
import type { TargetPlan } from './plan';

type RequestInput = Pick<RefineRequest, 'session' | 'path' | 'language'> & {
  readonly cells: readonly NotebookCell[];
  readonly plan: TargetPlan;
  /** The user's settings; the cell's own options are applied to them here. */
  readonly settings: RefineOptions;
  /** What the kernel reported about `namesToInspect`. */
  readonly variables: readonly VariableInfo[];
  /** Ids of cells above that have not run in this kernel. */
  readonly notRun?: readonly string[];
};

export function buildRequest(input: RequestInput): RefineRequest {
  const { cells, plan, settings, variables, session, path, language } = input;
  const { target, prompt, promptOrigin, rightChecks } = plan;
  const { options } = resolveOptions(settings, plan.cellOptions);
  const context = chooseContext(cells, plan, language);
  return {
    session,
    path,
    language,
    target,
    prompt,
    promptOrigin,
    rightChecks,
    ...requestChecks(cells, plan, language),
    context: {
      ...context,
      cells: context.cells.map(cell =>
        input.notRun?.includes(cell.cellId) ? { ...cell, ran: false } : cell
      ),
      variables,
      values: options.contextValues
    },
    options
  };
}

/** What of the request follows from the cells that check the target. */
export function requestChecks(
  cells: readonly NotebookCell[],
  plan: TargetPlan,
  language: string
): RequestChecks {
  const { assertions, holdouts, scorer } = plan;
  const checks = [...assertions, ...holdouts, scorer ?? []].flat();
  return {
    assertions,
    holdouts,
    scorer,
    hiddenNames: hiddenNames(cells, holdouts, language),
    hiddenData: hiddenData(cells),
    ...resultNames(cells, plan, checks, language)
  };
}

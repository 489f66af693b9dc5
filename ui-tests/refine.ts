/** What the browser tests share: the scripted model, notebooks of cells, the panel, the user's kernel. */
import { galata, test as base } from '@jupyterlab/galata';
import { expect, type Locator, type Page } from '@playwright/test';
import type {
  RequestRecord,
  ScriptedAnswer,
  ScriptInput
} from '../src/testing/scriptedServer';
import { MODEL_PORT } from './ports';

export { expect };

const MODEL = `http://127.0.0.1:${MODEL_PORT}`;

/** The scripted model server. */
export const model = {
  async load(script: ScriptInput): Promise<void> {
    const response = await fetch(`${MODEL}/__script`, {
      method: 'POST',
      body: JSON.stringify(script)
    });
    if (!response.ok) {
      throw new Error(`scripted server: ${await response.text()}`);
    }
  },
  /** Requests for an answer, oldest first. */
  async requests(): Promise<readonly RequestRecord[]> {
    const all = (await (
      await fetch(`${MODEL}/__requests`)
    ).json()) as RequestRecord[];
    return all.filter(request => request.path.endsWith('/chat/completions'));
  },
  /** What the request of this position sent, or all of them. */
  async sent(index?: number): Promise<string> {
    const bodies = (await model.requests()).map(({ body }) => body);
    return JSON.stringify(index === undefined ? bodies : bodies.at(index));
  },
  /** Wait until it has been asked so often. */
  async expectRequests(count: number): Promise<void> {
    await expect.poll(model.requests).toHaveLength(count);
  },
  /** The request is ended from our side soon. */
  async expectAborted(index: number): Promise<void> {
    const state = async () => (await model.requests())[index]?.state;
    await expect.poll(state, { timeout: 5000 }).toBe('aborted');
  }
};

/** An answer of the model: a sentence of thought, and one code block. */
export function answer(
  code: string,
  more: Partial<ScriptedAnswer> = {},
  thought = 'So.'
): ScriptedAnswer {
  return { text: `${thought}\n\n\`\`\`python\n${code}\n\`\`\`\n`, ...more };
}

/** One that takes so long that a user can do something meanwhile. */
export function slowAnswer(
  code: string,
  tokensPerSecond: number,
  words = 100
): ScriptedAnswer {
  return answer(code, { tokensPerSecond }, 'word '.repeat(words));
}

export type CellInput = {
  readonly id: string;
  readonly source: string;
  readonly type?: 'code' | 'markdown';
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export class RefineNotebook {
  constructor(
    readonly page: Page,
    readonly path: string
  ) {}

  get panel(): Locator {
    return this.page.locator('#jupyterlab-refine-panel');
  }

  /** A button of the panel. */
  button(name: string | RegExp, exact = false): Locator {
    return this.panel.getByRole('button', { name, exact });
  }

  /** What the panel asks. */
  get question(): Locator {
    return this.panel.getByRole('alertdialog');
  }

  /** The row of an attempt. */
  attempt(number: number): Locator {
    const name = new RegExp(`^Attempt ${number} `);
    return this.panel
      .locator('.jp-Refine-attempt')
      .filter({ has: this.page.getByRole('button', { name }) });
  }

  /** What opens and closes the row of an attempt. */
  toggle(number: number): Locator {
    return this.button(new RegExp(`^Attempt ${number} `));
  }

  /** The review in a cell. */
  review(index: number): Locator {
    return this.cell(index).getByRole('group', { name: 'Proposed change' });
  }

  cell(index: number): Locator {
    return this.page.locator('.jp-Notebook .jp-Cell').nth(index);
  }

  async open(): Promise<void> {
    await this.page.goto(`tree/${this.path}`);
    await this.page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await this.waitForKernel();
  }

  async waitForKernel(): Promise<void> {
    await expect.poll(() => this.kernelStatus()).toBe('idle');
  }

  kernelStatus(): Promise<string> {
    return this.page.evaluate(() => {
      const widget = window.jupyterapp.shell.currentWidget as unknown as {
        sessionContext?: {
          session?: { kernel?: { status: string } | null } | null;
        };
      };
      return widget?.sessionContext?.session?.kernel?.status ?? 'none';
    });
  }

  async select(index: number): Promise<void> {
    await this.cell(index).locator('.jp-InputPrompt').click();
  }

  /** Run cells the way a user does. */
  async run(...indices: readonly number[]): Promise<void> {
    for (const index of indices) {
      await this.select(index);
      await this.page.keyboard.press('Control+Enter');
    }
  }

  /** The source of a cell as the notebook holds it. */
  source(index: number): Promise<string> {
    return this._call(index, 'getSource');
  }

  /** Replace a cell's source as typing would, without the keyboard. */
  edit(index: number, source: string): Promise<void> {
    return this._call(index, 'setSource', source);
  }

  /** Metadata of a cell as the notebook holds it. */
  metadata(index: number): Promise<Record<string, unknown>> {
    return this._call(index, 'getMetadata');
  }

  /** What the cell's metadata says of its refinement. */
  async result(index: number): Promise<unknown> {
    const { jupyterlab_refine: own } = await this.metadata(index);
    return (own as { result?: unknown } | undefined)?.result;
  }

  /** Text that an expression gives in the user's own kernel, silently. */
  async evaluate(expression: string): Promise<string> {
    return this.page.evaluate(async code => {
      const widget = window.jupyterapp.shell.currentWidget as unknown as {
        sessionContext: {
          session: {
            kernel: {
              requestExecute(
                content: object,
                dispose?: boolean
              ): { done: Promise<{ content: Record<string, unknown> }> };
            };
          };
        };
      };
      const future = widget.sessionContext.session.kernel.requestExecute({
        code: '',
        silent: true,
        store_history: false,
        stop_on_error: false,
        user_expressions: { r: code }
      });
      const reply = await future.done;
      const result = (
        reply.content.user_expressions as Record<
          string,
          { status: string; data?: Record<string, string>; evalue?: string }
        >
      ).r;
      return result.status === 'ok'
        ? result.data!['text/plain']
        : `error: ${result.evalue}`;
    }, expression);
  }

  /** Press Refine in the toolbar, for this cell. */
  async refine(index?: number): Promise<void> {
    if (index !== undefined) {
      await this.select(index);
    }
    await this.page
      .locator('.jp-NotebookPanel-toolbar')
      .getByRole('button', { name: /^Refine( cell|$)/ })
      .click();
  }

  /** Run the command that the palette offers for this label, by keyboard. */
  async palette(label: string): Promise<void> {
    await this.page.keyboard.press('Control+Shift+c');
    const palette = this.page.locator('#modal-command-palette');
    await palette.locator('input').fill(label);
    await palette
      .locator('.lm-CommandPalette-itemLabel', { hasText: label })
      .first()
      .waitFor();
    await this.page.keyboard.press('Enter');
  }

  async command(id: string, args: object = {}): Promise<void> {
    await this.page.evaluate(
      ({ id, args }) => {
        // Not awaited: a session may outlast the test's next look.
        void window.jupyterapp.commands.execute(id, args as never);
      },
      { id, args }
    );
  }

  /** Open the menus of the attempts that are shown. */
  async more(): Promise<void> {
    const name = /^More of attempt/;
    await this.panel.getByRole('button', { name }).first().waitFor();
    const closed = this.panel.getByRole('button', { name, expanded: false });
    for (let left = await closed.count(); left > 0; left--) {
      await closed.first().click();
    }
  }

  /** What the panel says. */
  async expectText(text: string | RegExp, options = {}): Promise<void> {
    await expect(this.panel.getByText(text, options).first()).toBeVisible();
  }

  /** How a session ended. */
  async expectHeading(name: string | RegExp): Promise<void> {
    await expect(this.panel.getByRole('heading', { name })).toBeVisible();
  }

  async expectPassed(attempt: number): Promise<void> {
    await this.expectHeading(`Passed on attempt ${attempt}`);
  }

  /** Call a method of the shared model of a cell. */
  private _call<T>(
    index: number,
    method: 'getSource' | 'setSource' | 'getMetadata',
    ...args: readonly string[]
  ): Promise<T> {
    return this.page.evaluate(
      call => {
        type Shared = Record<string, (...args: readonly string[]) => unknown>;
        const { content } = window.jupyterapp.shell
          .currentWidget as unknown as {
          content: { widgets: { model: { sharedModel: Shared } }[] };
        };
        const { sharedModel } = content.widgets[call.index].model;
        const value = sharedModel[call.method](...call.args) ?? null;
        return JSON.parse(JSON.stringify(value));
      },
      { index, method, args }
    );
  }
}

type Fixtures = {
  /** Open a notebook of these cells, in which the model gives these answers. */
  notebook: (
    cells: readonly CellInput[],
    answers?: readonly ScriptedAnswer[],
    kernelspec?: KernelSpec
  ) => Promise<RefineNotebook>;
};

export const test = base.extend<Fixtures>({
  autoGoto: false,
  // A notebook is opened by its address: there is no launcher to wait for.
  waitForApplication: async ({ baseURL }, use) => {
    await use(async page => {
      await page.locator('#jupyterlab-splash').waitFor({ state: 'detached' });
    });
  },
  notebook: async ({ page, request, baseURL, tmpPath }, use) => {
    const path = `${tmpPath}/notebook.ipynb`;
    await use(async (cells, answers, kernelspec = PYTHON) => {
      if (answers) {
        await model.load({ answers: [...answers] });
      }
      const response = await request.put(`${baseURL}/api/contents/${path}`, {
        data: {
          type: 'notebook',
          format: 'json',
          content: notebookContent(cells, kernelspec)
        }
      });
      if (!response.ok()) {
        throw new Error(`cannot write ${path}: ${await response.text()}`);
      }
      const nb = new RefineNotebook(page as unknown as Page, path);
      await nb.open();
      return nb;
    });
    const sessions = (await (
      await request.get(`${baseURL}/api/sessions`)
    ).json()) as { id: string; path: string }[];
    for (const session of sessions.filter(s => s.path === path)) {
      await request.delete(`${baseURL}/api/sessions/${session.id}`);
    }
  }
});

/** The same for a user with these settings of the extension. */
export const testWith = (settings: Readonly<Record<string, unknown>>) =>
  test.extend({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      'jupyterlab-refine:plugin': settings
    }
  });

type KernelSpec = {
  readonly name: string;
  readonly display_name: string;
  readonly language: string;
};

const PYTHON: KernelSpec = {
  name: 'python3',
  display_name: 'Python 3',
  language: 'python'
};
/** The small R of the command line's tests: no fork, no Python, no magics. */
export const SMALL_R: KernelSpec = {
  name: 'small-r',
  display_name: 'Small R',
  language: 'R'
};

/** What the file of a notebook holds. */
export function notebookContent(
  cells: readonly CellInput[],
  kernelspec: KernelSpec = PYTHON
): object {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      kernelspec,
      language_info: { name: kernelspec.language }
    },
    cells: cells.map(({ id, source, type = 'code', tags, metadata }) => ({
      id,
      cell_type: type,
      source,
      metadata: { ...metadata, ...(tags ? { tags } : {}) },
      ...(type === 'code' ? { execution_count: null, outputs: [] } : {})
    }))
  };
}

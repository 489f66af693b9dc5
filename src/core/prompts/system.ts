/** The first message of every attempt: the form of the answer. */
import { languageName, languageOf } from '../languages/list';
import { fillTemplate } from '../text/template';
import { keepsThoughts } from '../domain/workflow';
import type { VisibleRequest } from '../domain/visible';

/** The user's own text (`systemPrompt`) where there is one. */
export function systemPrompt(request: VisibleRequest): string {
  const own = request.options.systemPrompt;
  return own.trim() !== ''
    ? fillTemplate(own, { language: languageName(request.language) })
    : request.target.kind === 'markdown'
      ? prosePrompt(request)
      : codePrompt(request);
}

function codePrompt({ language, part, options }: VisibleRequest): string {
  const what = part
    ? 'the new lines alone, those that replace the marked ones,'
    : 'the complete cell';
  const block = `one fenced code block that holds ${what} and nothing after it: no checks, no example calls, no explanation.`;
  return [
    part
      ? `You rewrite some lines of one cell of a Jupyter notebook in ${languageName(language)}.`
      : `You write one cell of a Jupyter notebook in ${languageName(language)}.`,
    keepsThoughts(options)
      ? `Answer with your thoughts in a few sentences, then ${block}`
      : `Answer with ${block}`,
    ...languageOf(language).kernelFacts
  ].join(' ');
}

function prosePrompt({ assertions }: VisibleRequest): string {
  return [
    'You write the text of one markdown cell of a Jupyter notebook. Your whole answer becomes the text of the cell: no introduction, no remarks about it.',
    ...(assertions.length > 0
      ? ['The checks read your text as the string `response`.']
      : [])
  ].join(' ');
}

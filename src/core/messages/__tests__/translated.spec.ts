/** Sentences of core, kernel and server in another language; `[[…]]` is what a translator has seen. */
import { readdirSync, readFileSync } from 'fs';
import { join, resolve } from 'path';
import type { Translation } from '../../text/english';
import { english } from '../../text/english';
import { sentence, SENTENCES } from '../sentence';
import { TEMPLATES, translated } from '../translated';

/** Values stay outside of the brackets: a word of ours among them is seen. */
const pseudo: Translation = {
  __: (text, ...values) =>
    text
      .split(/(%\d)/)
      .map(part =>
        /^%\d$/.test(part)
          ? String(values[Number(part[1]) - 1])
          : part && `[[${part}]]`
      )
      .join('')
};

/** Data, which its letters distinguish from our words. */
const DATA = ['γαμμα', 'δελτα', 'ζητα', 'λαμδα', 'σιγμα', 'ωμεγα', 'χι', 'ψι'];

function withoutTranslated(text: string): string {
  return text.replace(/\[\[[\s\S]*?\]\]/g, '');
}

describe('each template', () => {
  it('is in the catalogue once', () => {
    const all: readonly string[] = Object.values(SENTENCES);
    expect(all.filter((t, i) => all.indexOf(t) !== i)).toEqual([]);
  });

  it('is recognized, and only its values stay', () => {
    const texts = TEMPLATES.map(template =>
      sentence('execution.cut', english.__(template, ...DATA))
    );
    const escaped = texts.map(text =>
      withoutTranslated(translated(text, pseudo))
    );
    expect(escaped.filter(text => /[a-z]/i.test(text))).toEqual([]);
    expect(texts.map(text => translated(text, english))).toEqual(texts);
  });

  it('has each slot once, and words', () => {
    const wrong = TEMPLATES.filter(template => {
      const slots = [...template.matchAll(/%(\d)/g)].map(([, n]) => Number(n));
      return (
        slots.some((slot, i) => slot !== i + 1) ||
        !/[a-z]/.test(template.replace(/%\d/g, ''))
      );
    });
    expect(wrong).toEqual([]);
  });
});

it('each sentence of the catalogue is used', () => {
  const room = resolve(__dirname, '../../..');
  const source = readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter(
      name => /\.tsx?$/.test(name) && !/__tests__|core\/messages/.test(name)
    )
    .filter(name => !name.endsWith('kernelSource.ts'))
    .map(name => readFileSync(join(room, name), 'utf8'))
    .join('\n');
  const ids = Object.keys(SENTENCES);
  expect(ids.filter(id => !source.includes(`'${id}'`))).toEqual([]);
});

describe('a text', () => {
  it('of several sentences is translated one by one', () => {
    const error = sentence('kernel.silent', 30);
    const text = `${error} ${sentence('fork.tried-twice')}`;
    expect(withoutTranslated(translated(text, pseudo)).trim()).toBe('30');
  });

  it('in which a value is a sentence is translated with it', () => {
    const inner = sentence('isolation.python-only', 'ρ');
    const text = sentence('isolation.no-fork', inner);
    expect(withoutTranslated(translated(text, pseudo))).toBe('ρ');
  });

  it('after the name of an error is translated, the name stays', () => {
    expect(translated('λ: messages must be a list.', pseudo)).toBe(
      'λ: [[messages must be a list.]]'
    );
    expect(
      translated('failed: an assert failed and its error was caught', pseudo)
    ).toBe('[[failed: ]][[an assert failed and its error was caught]]');
  });

  it('of the user stays, where only a short template would fit', () => {
    expect(translated('wait 30 s', pseudo)).toBe('wait 30 s');
    expect(translated('Nothing came from model α for 5 min', pseudo)).toBe(
      'Nothing came from model α for 5 min'
    );
  });

  it('that is not known stays as it is, also around what is known', () => {
    const text = `Δ. 100%% of %1; Hello. ${sentence('checks.none')} Bye.`;
    expect(translated('100%% of %1', pseudo)).toBe('100%% of %1');
    expect(translated(text, pseudo)).toBe(
      'Δ. 100%% of %1; Hello. [[Nothing checks it.]] Bye.'
    );
  });

  it('is the same in English as before, whatever it holds', () => {
    const known = TEMPLATES.map(t => english.__(t, ...DATA));
    for (let i = 0; i + 2 < known.length; i += 3) {
      const text = `${known[i]} x: ${known[i + 1]}\n${known[i + 2]}; y`;
      expect(translated(text, english)).toBe(text);
    }
  });

  it('of very many sentences is data and stays', () => {
    const hostile = 'The kernel ended: '.repeat(200);
    expect(translated(hostile, pseudo)).toBe(hostile);
  });
});

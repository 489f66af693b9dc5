/**
 * The scripted programmer: a model whose answers follow from what its prompt
 * says. It wrote a program with 1 to 3 bugs and repairs one of them when the
 * prompt holds the facts that point to it; else it gives the same program
 * again. These rules were committed before any feedback was tuned with them.
 *
 * 1. Its program is the one in the last answer that the prompt shows as its
 *    own. Where the prompt shows none, it writes its first program: all bugs.
 * 2. It reads the last message of the user, what comes after its own answer, and
 *    nothing else. Where that message came before its answer, there is nothing to read.
 * 3. Of the checks that its program really fails, in order, the first whose
 *    facts are reported makes it repair one bug: the first whose repair alone changes
 *    what that check gives, or the first of all where none does.
 * 4. The facts of a failing check:
 *    - a wrong value: the call with its arguments, and, in what is said from
 *      there to the next check, the expected and the observed value; where their
 *      types differ also the names of both, unless the value is None;
 *    - an error: its name, the line of the program (its number or its text),
 *      and, where it comes from a check, the call; for a TypeError, which is one of
 *      types, its message as well, since that names them;
 *    - a program that does not end: that it did not, and a line of where it was.
 * 5. Values, calls and messages are compared without blanks and kinds of quotes,
 *    and as whole words and numbers. Numbers that count lines, attempts and
 *    checks are no values. Of a value or message longer than 200 characters the
 *    first and the last 60 will do. Addresses of objects do not matter.
 */

const LONG = 200;
const SHOWN = 60;
const DID_NOT_END =
  /time[d\s-]?out|time limit|timed out|hung|hangs|did not end|does not end|endless/i;

/**
 * @param {object} planted One line of what plant.py gives.
 * @returns {(messages: {role: string, content: string}[]) => string} The set of
 * bugs that is left, as a key of `planted.programs`.
 */
export function programmer(planted) {
  const all = String(2 ** planted.bugs.length - 1);
  return messages => {
    const own = messages.findLastIndex(({ role }) => role === 'assistant');
    if (own < 0) {
      return all;
    }
    const mine = programIn(planted, messages[own].content) ?? all;
    const said = messages.slice(own + 1).filter(m => m.role === 'user');
    return said.length === 0
      ? mine
      : repaired(planted, mine, said.at(-1).content);
  };
}

/** Which of its programs a text holds. */
function programIn(planted, text) {
  const found = Object.entries(planted.programs).find(([, { code }]) =>
    text.includes(code)
  );
  return found?.[0] ?? null;
}

/** The bugs that are left of `bugs` after reading `said`. */
export function repaired(planted, bugs, said) {
  const { code, facts } = planted.programs[bugs];
  const known = facts.findIndex((fact, i) =>
    isReported(fact, said, code, planted.checks, i)
  );
  return known < 0 ? bugs : without(planted, bugs, known);
}

/** One bug less: the first that has to do with the check. */
function without(planted, bugs, check) {
  const mask = Number(bugs);
  const present = planted.bugs
    .map((_, bug) => 1 << bug)
    .filter(bit => (mask & bit) !== 0);
  const facts = key => JSON.stringify(planted.programs[key].facts[check]);
  const blamed = present.find(bit => facts(mask ^ bit) !== facts(mask));
  return String(mask ^ (blamed ?? present[0] ?? 0));
}

/** True where `said` holds the facts of a failing check. */
export function isReported(fact, said, code, checks, index) {
  switch (fact.outcome) {
    case 'value':
      return passages(said, fact.call, checks, index).some(passage =>
        reportsValue(fact, passage, checks[index])
      );
    case 'raises':
      return (
        fact.where === 'cell'
          ? [said]
          : passages(said, fact.call, checks, index)
      ).some(passage => reportsError(fact, passage, code));
    case 'hangs':
      return DID_NOT_END.test(said) && reportsLine(fact.lines, said, code);
    default:
      return false;
  }
}

/** What is said from each mention of a call to the next mention of another check's. */
function passages(said, call, checks, index) {
  const others = checks
    .filter((_, i) => i !== index)
    .flatMap(check => [...said.matchAll(pattern(callOf(check), 'g'))])
    .map(match => match.index);
  return [...said.matchAll(pattern(call, 'g'))].map(({ index: from }) =>
    said.slice(from, Math.min(said.length, ...others.filter(at => at > from)))
  );
}

/** The left side of `assert CALL == VALUE`, up to the closing bracket. */
function callOf(check) {
  const text = check.replace(/^\s*assert\s*\(?\s*/, '');
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    depth += Number('([{'.includes(text[i])) - Number(')]}'.includes(text[i]));
    if (depth === 0 && text[i] === ')') {
      return text.slice(0, i + 1);
    }
  }
  return text;
}

function reportsValue({ call, expected, observed }, passage, check) {
  // The check itself says what is expected, and never what was observed.
  const beside = [check, call].reduce(
    (text, known) => text.replaceAll(pattern(known, 'g'), ' '),
    withoutCounts(passage)
  );
  const types =
    expected.type === observed.type ||
    observed.repr === 'None' ||
    [expected, observed].every(({ type }) => word(type).test(beside));
  return (
    holds(passage, expected.repr) &&
    (observed.repr === expected.repr ||
      holdsApart(beside, observed.repr, expected.repr)) &&
    types
  );
}

/** True where `text` holds `value` somewhere that is no part of `other`. */
function holdsApart(text, value, other) {
  if (value.length > LONG || other.length > LONG) {
    return holds(text, value);
  }
  const places = wanted =>
    [...plain(text).matchAll(pattern(wanted, 'g'))].map(
      ({ 0: found, index }) => ({
        from: index,
        to: index + found.length
      })
    );
  const others = places(other);
  return places(value).some(
    ({ from, to }) => !others.some(o => o.from <= from && to <= o.to)
  );
}

function reportsError({ name, message, lines }, passage, code) {
  return (
    word(name).test(passage) &&
    (name !== 'TypeError' || holds(passage, message)) &&
    (lines.length === 0 || reportsLine(lines, passage, code))
  );
}

function reportsLine(lines, passage, code) {
  return lines.some(line => {
    const text = code.split('\n')[line - 1].trim();
    return (
      new RegExp(`\\bline ${line}\\b|-->\\s*${line}\\b`).test(passage) ||
      holds(passage, text)
    );
  });
}

/** Numbers that are no values: of lines, attempts and checks, and of a traceback's margin. */
function withoutCounts(text) {
  return text
    .replace(/\b\d+ of \d+\b/g, ' ')
    .replace(
      /\b(?:lines?|attempts?|characters?|index|position|item|element|row|column|length|len)\W{0,2}\d+/gi,
      ' '
    )
    .replace(/\bIn ?\[\d+\]/g, ' ')
    .replace(/^[ \t]*(?:-+> ?)?[ \t]*\d+ /gm, ' ');
}

function holds(text, value) {
  const parts =
    value.length <= LONG
      ? [value]
      : [value.slice(0, SHOWN), value.slice(-SHOWN)];
  return parts.every(part => pattern(part).test(plain(text)));
}

function plain(text) {
  return text.replace(/0x[0-9a-f]+/g, '0x');
}

function word(name) {
  return new RegExp(`(?<!\\w)${escaped(name)}(?!\\w)`);
}

/** The text with any blanks and quotes, not as a part of a longer word or number. */
function pattern(text, flags = '') {
  const parts = text.match(/\w+|[^\w\s]/gu) ?? [];
  const body = parts
    .map(part => (/^['"`]$/.test(part) ? `['"\`]` : escaped(part)))
    .join('\\s*');
  const before = /^\w/.test(text.trim()) ? '(?<![\\w.-])' : '';
  const after = /\w$/.test(text.trim()) ? '(?!\\w|\\.\\d)' : '';
  return new RegExp(`${before}${body}${after}`, `u${flags}`);
}

function escaped(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

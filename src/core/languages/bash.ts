import type { LanguageRecord, Statement } from './language';

const INSTEAD = '[ … ]';

export const bash: LanguageRecord = {
  ids: ['bash'],
  name: 'Bash',
  fences: ['bash', 'sh', 'shell'],
  kernelFacts: [
    'Never call exit: it ends the shell, and its variables are lost.'
  ],
  statements: {
    // The pattern of a case branch closes a bracket that nothing opened.
    comment: /(^|\s)#.*$|^\s*[^\s()]+\)/,
    checks: /^(!\s+)?(\[\[?\s|test\s)|^if\b[^]*\b(exit|return|false)\b/,
    setsUp:
      /^(\w+(\[[^\]]*\])?\+?=|(export|declare|local|readonly|source|\.|set|shopt|alias|unset|echo|printf|function|cd|mkdir|trap|true|:)(\s|$)|[\w-]+\s*\(\)|\(\()/,
    opens:
      /(?:^|[;&|({]|\b(?:then|do|else))\s*(?:if|for|while|until|case|select)\b/g,
    closes: /(?:^|[;&|)}])\s*(?:fi|done|esac)\b/g,
    goesOn: /(\\|&&|\|\|?)\s*$/
  },
  canary: 'false',
  checkWord: INSTEAD,
  neverFails: [
    {
      pattern: /\|\|\s*(echo|printf|true|:)(\s[^|&]*)?$/,
      what: '… || echo',
      instead: INSTEAD
    },
    {
      pattern:
        /^if\b[^;\n]*[;\n]\s*then\s+(echo|printf)\b[^;\n]*[;\n]\s*(else\s+(echo|printf)\b[^;\n]*[;\n]\s*)?fi$/,
      what: 'if … echo … fi',
      instead: INSTEAD
    }
  ],
  commandsFail: true,
  asCheck,
  // A check ends with a status of its own; 2 and more are errors of the shell.
  isFailedCheck: (_, message) => message === 'exit status 1',
  bindResponse: literal =>
    `response=$'${JSON.parse(literal).replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`
};

/**
 * The status of a cell is that of its last command, and `exit` ends the kernel's shell, which is then started
 * anew and reports success. So each check is noted, and a cell that may exit runs in a shell of its own.
 */
function asCheck(source: string, statements: readonly Statement[]): string {
  const exits = /(^|[\s;&|({])exit\b/.test(source);
  const whole = exits ? `(\n${source}\n)` : source;
  // A line within a here-document is not code.
  if (statements.length < 2 || /<<(?!<)/.test(source)) {
    return whole;
  }
  const noted = statements
    .map(({ kind, from, to }) => {
      const text = source.slice(from, to);
      return kind === 'check' ? `${text}\n_refine_note` : text;
    })
    .join('\n');
  const code = [
    '_refine_failed=0',
    '_refine_note() { _refine_last=$?; [ $_refine_last = 0 ] || _refine_failed=$_refine_last; return $_refine_last; }',
    noted,
    '[ $? = 0 ] && (exit $_refine_failed)'
  ].join('\n');
  return exits
    ? `(\ntrap '[ $_refine_failed = 0 ] || exit $_refine_failed' EXIT\n${code}\n)`
    : code;
}

/** Thoughts / Response sections: as headings, labels or tags. */

export type Section = 'none' | 'thoughts' | 'response';

export type SectionMark =
  | {
      readonly type: 'enter';
      readonly section: Section;
      readonly rest: string;
    }
  | { readonly type: 'leave'; readonly before: string; readonly rest: string };

const TAG = /^\s*<(thoughts?|response|answer|code|solution)>(.*)$/i;
const TAG_END =
  /^(.*?)<\/(?:thoughts?|response|answer|code|solution)>\s*(.*)$/i;
const HEADING =
  /^\s*(?:#{1,6}\s*)?(?:\*\*|__)?(thoughts?|response|answer|code|solution)(?:\*\*|__)?\s*(:?)(?:\*\*|__)?\s*(.*)$/i;

/** What a line of prose does to the section; null when it is ordinary text. */
export function sectionMark(line: string): SectionMark | null {
  const tag = TAG.exec(line);
  if (tag) {
    const [, name = '', rest = ''] = tag;
    return enter(name, rest);
  }
  const end = TAG_END.exec(line);
  if (end) {
    const [, before = '', rest = ''] = end;
    return { type: 'leave', before, rest };
  }
  const heading = HEADING.exec(line);
  if (!heading) {
    return null;
  }
  const [, name = '', colon, rest = ''] = heading;
  const marked = /^\s*(?:#|\*\*|__)/.test(line);
  const strict = /^(?:thoughts?|response)$/i.test(name);
  const isHeading =
    (colon === ':' && (strict || rest === '' || marked)) ||
    (marked && rest === '');
  return isHeading ? enter(name, rest) : null;
}

/** Whether a line that has not ended may yet become a section's heading. */
export function mayBeHeading(partial: string): boolean {
  return HEADING.test(partial);
}

function enter(name: string, rest: string): SectionMark {
  const section = /^thoughts?$/i.test(name) ? 'thoughts' : 'response';
  return { type: 'enter', section, rest };
}

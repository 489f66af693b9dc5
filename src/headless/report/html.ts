/** Text in a page: nothing that a model or a notebook says becomes markup. */
import { printable } from './text';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
};

export function html(text: string): string {
  return printable(text).replace(/[&<>"']/g, found => ENTITIES[found] ?? found);
}

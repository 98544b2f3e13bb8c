import type { MarkdownIt, Token } from 'markdown-it';

const box = /^\[([ xX~])\](?=\s|$)/;

function checkbox(mark: string): string {
  const state = mark === ' ' ? '' : mark === '~' ? ' data-inapplicable=""' : ' checked=""';
  return `<input type="checkbox" class="task-list-item-checkbox" disabled=""${state}>`;
}

/** Removes the checkbox at the start of a list item, or in a table cell, from its text. */
function takeBox(tokens: readonly Token[], at: number): string | undefined {
  const inline = tokens[at];
  const first = inline?.children?.[0];
  const before = tokens[at - 1]?.type;
  const inCell = before === 'td_open' && /^\[[ xX~]\]$/.test(inline?.content ?? '');
  const inItem = before === 'paragraph_open' && tokens[at - 2]?.type === 'list_item_open';
  if (first?.type !== 'text' || !(inCell || (inItem && /^\[.\]\s+\S/.test(inline?.content ?? '')))) return undefined;
  const mark = box.exec(first.content)?.[1];
  if (mark === undefined) return undefined;
  first.content = first.content.slice(3);
  return mark;
}

/** Task lists: renders checkboxes, disabled on read-only pages. */
export function taskItemRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('task_items', (state) => {
    const lists: Token[] = [];
    for (const [at, token] of state.tokens.entries()) {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      const found = token.type === 'inline' ? takeBox(state.tokens, at) : undefined;
      if (found === undefined) continue;
      const input = new state.Token('checkbox', '', 0);
      input.content = checkbox(found);
      input.markup = `[${found}]`;
      token.children?.unshift(input);
      const item = state.tokens[at - 2];
      if (item?.type !== 'list_item_open') continue;
      item.attrJoin('class', found === '~' ? 'task-list-item inapplicable' : 'task-list-item');
      if (!String(lists.at(-1)?.attrGet('class') ?? '').includes('task-list'))
        lists.at(-1)?.attrJoin('class', 'task-list');
    }
  });
}

/** Parses the lines in the fragment: `#L3` or `#L3-7`. */
function linesOf(hash: string): readonly [number, number] | undefined {
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash);
  if (!match) return undefined;
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
  return first <= last ? [first, last] : [last, first];
}

/** Goes to the page of a paginated file that contains the line. */
function turnTo(line: number): void {
  const { lines, page, pages } = document.querySelector<HTMLElement>('.pager[data-lines]')?.dataset ?? {};
  if (lines === undefined) return;
  const targetPage = Math.ceil(line / Number(lines));
  if (targetPage === Number(page) || targetPage < 1 || targetPage > Number(pages)) return;
  const address = new URL(location.href);
  address.searchParams.set('page', String(targetPage));
  Turbo.visit(address.href, { action: 'replace' });
}

function mark(): void {
  for (const row of document.querySelectorAll('.chosen')) row.classList.remove('chosen');
  const lines = linesOf(location.hash);
  if (!lines) return;
  const [first, last] = lines;
  if (!document.getElementById(`L${first}`)) turnTo(first);
  for (let line = first; line <= Math.min(last, first + 5_000); line += 1) {
    document.getElementById(`L${line}`)?.classList.add('chosen');
  }
  if (first !== last) document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' });
}

// Shift-clicking a line number extends the selection.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('td.num a, .log a') : null;
  const marked = linesOf(location.hash);
  const clicked = link && linesOf(link.hash);
  if (!event.shiftKey || !marked || !clicked) return;
  event.preventDefault();
  history.replaceState(history.state, '', `#L${Math.min(marked[0], clicked[0])}-${Math.max(marked[1], clicked[1])}`);
  mark();
});

window.addEventListener('hashchange', mark);
document.addEventListener('turbo:load', mark);

// Ticking checkboxes of a description in place.

const boxesOf = (place: Element) => [
  ...place.querySelectorAll<HTMLInputElement>('.text input.task-list-item-checkbox'),
];

function free(): void {
  for (const place of document.querySelectorAll('[data-tasks]'))
    for (const box of boxesOf(place)) box.disabled = box.dataset.inapplicable !== undefined;
}

document.addEventListener('change', async ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const place = target.closest<HTMLElement>('[data-tasks]');
  const boxes = place ? boxesOf(place) : [];
  if (!place || !boxes.includes(target)) return;
  target.disabled = true;
  const body = new URLSearchParams({
    authenticity_token: place.dataset.proof ?? '',
    box: String(boxes.indexOf(target)),
    boxes: String(boxes.length),
    done: String(target.checked),
  });
  const answer = await fetch(place.dataset.tasks ?? '', { method: 'POST', body }).catch(() => undefined);
  // Someone else has edited the description: show it without applying the change.
  if (answer?.ok) target.disabled = false;
  else Turbo.visit(location.href, { action: 'replace' });
});

document.addEventListener('turbo:load', free);
document.addEventListener('turbo:morph-element', () => requestAnimationFrame(free));

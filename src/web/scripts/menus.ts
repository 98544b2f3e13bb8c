// Menus close when somebody turns away from them, and of the sections the one that is open is in sight.

function closeMenus(except: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
    if (!menu.contains(except)) menu.open = false;
}

document.addEventListener('click', ({ target }) => closeMenus(target instanceof Node ? target : null));
document.addEventListener('turbo:before-cache', () => closeMenus(null));

document.addEventListener('keydown', (event) => {
  const menu = document.activeElement?.closest<HTMLDetailsElement>('details.menu[open]');
  if (event.key !== 'Escape' || !menu) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});

// On a narrow screen they go beyond its edge.
document.addEventListener('turbo:load', () => {
  const current = document.querySelector<HTMLElement>('nav.tabs [aria-current]');
  const tabs = current?.parentElement;
  if (tabs) tabs.scrollLeft = current.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
});

import type { SettingsForm } from '../forms/settings-form.ts';

export const profile: SettingsForm = {
  path: '/-/user_settings/profile',
  title: 'Profile',
  intro: 'What others see beside your name. Your name and address are changed by an administrator.',
  api: '/user/status',
  method: 'PUT',
  fields: [
    { name: 'message', label: 'Status', hint: 'What you are about, or when you are back' },
    { name: 'emoji', label: 'Emoji', placeholder: 'speech_balloon' },
    {
      name: 'availability',
      label: 'You are',
      kind: 'select',
      options: [
        ['not_set', 'There'],
        ['busy', 'Busy'],
      ],
    },
  ],
  prepare: ({ emoji, ...sent }) => (emoji === '' ? sent : { ...sent, emoji }),
};

export const notifications: SettingsForm = {
  path: '/-/profile/notifications',
  title: 'Notifications',
  intro: 'Of what the server writes to you.',
  api: '/notification_settings',
  method: 'PUT',
  fields: [
    {
      name: 'level',
      label: 'Tell me of',
      kind: 'select',
      options: [
        ['participating', 'What I take part in'],
        ['watch', 'Everything in my projects'],
        ['mention', 'Where I am named'],
        ['custom', 'What I have chosen'],
        ['disabled', 'Nothing'],
      ],
    },
  ],
};

export const preferences: SettingsForm = {
  path: '/-/profile/preferences',
  title: 'Preferences',
  intro: 'Light, dark and high contrast are chosen at the end of every page, for this browser.',
  api: '/user/preferences',
  method: 'PUT',
  fields: [
    { name: 'view_diffs_file_by_file', label: 'Show one file of a change at a time', kind: 'check' },
    { name: 'show_whitespace_in_diffs', label: 'Show changes of white space', kind: 'check' },
  ],
};

/** Models are measured in the background once a text was read: again for another text or a new download, and not otherwise. */
import { nextTick, ref, shallowRef } from 'vue';
import { expect, it } from 'vitest';
import { useFamiliarities } from '../../../renderer/composables/useFamiliarities.js';
import { used } from './used.js';

it('asks for each text and each set of models once, and forgets what was found of another text', async () => {
  const settings = ref<Record<string, unknown>>({ data_path: 'file_1' });
  const preview = shallowRef<object | null>(null);
  const models = shallowRef([
    { state: 'present', init_from: 'a' },
    { state: 'absent', init_from: 'b' },
  ]);
  let looks = 0;
  const lookAgain = () => void (looks += 1);
  const draft = { id: 'draft_1', effective: settings, initialModel: ref('a'), lookAgain };
  const {
    made: found,
    calls,
    message,
    reply,
  } = used(() => useFamiliarities(draft as never, { preview } as never, { models } as never));
  const settle = async (change: () => void) => {
    change();
    await nextTick();
    await nextTick();
    return calls('drafts.familiarity').length;
  };
  expect(await settle(() => (models.value = [...models.value]))).toBe(0);
  expect(await settle(() => (preview.value = {}))).toBe(1);
  const one = { init_from: 'a', nats_per_character: 1.1, baseline: 2.5 };
  const [first] = calls('drafts.familiarity');
  message({ type: 'progress', id: first?.id ?? -1, progress: one });
  expect([...found.value]).toEqual([['a', one]]);
  expect(looks).toBe(0);
  reply({}, -1, 'drafts.familiarity');
  await expect.poll(() => looks).toBe(1);
  // The text is read again, for another setting.
  expect(await settle(() => (preview.value = null))).toBe(1);
  expect(await settle(() => (preview.value = {}))).toBe(1);
  expect([...found.value.keys()]).toEqual(['a']);
  expect(await settle(() => (models.value = models.value.map((model) => ({ ...model, state: 'present' }))))).toBe(2);
  settings.value = { data_path: 'file_2' };
  expect(await settle(() => (preview.value = null))).toBe(2);
  expect([...found.value]).toEqual([]);
  expect(await settle(() => (preview.value = {}))).toBe(3);
  // The earlier calls are cancelled; what they still send is of the earlier text.
  message({ type: 'progress', id: first?.id ?? -1, progress: one });
  expect([...found.value]).toEqual([]);
});

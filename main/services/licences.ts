/** What Verisim is built from, and under which licences; a test holds this against the packages themselves. */
export const licences: { readonly name: string; readonly licence: string }[] = [
  { name: '@nuxt/ui', licence: 'MIT' },
  { name: '@tensorflow/tfjs', licence: 'Apache-2.0' },
  { name: '@tensorflow/tfjs-node-gpu', licence: 'Apache-2.0' },
  { name: '@vueuse/core', licence: 'MIT' },
  { name: 'echarts', licence: 'Apache-2.0' },
  { name: 'gpt-tokenizer', licence: 'MIT' },
  { name: 'pinia', licence: 'MIT' },
  { name: 'vue', licence: 'MIT' },
  { name: 'vue-echarts', licence: 'MIT' },
  { name: 'vue-router', licence: 'MIT' },
  { name: 'ws', licence: 'MIT' },
  { name: 'zod', licence: 'MIT' },
  { name: 'electron', licence: 'MIT' },
];

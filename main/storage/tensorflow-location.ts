/**
 * Where the TensorFlow binding is. The set-up scripts decide that (they run before anything is compiled), so this file
 * only hands their answers, and the places of the cache and the sample text, to the program.
 */
export { cacheFolder, findTensorflow, sampleTextPath } from '../../scripts/setup/locations.mjs';
export type { TensorflowLocation } from '../../scripts/setup/locations.mjs';

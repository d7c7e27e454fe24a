/** Nuxt UI's components as templates know them: the build finds them by name; here each one that is used gets its type. */
import type App from '@nuxt/ui/components/App.vue';
import type Alert from '@nuxt/ui/components/Alert.vue';
import type Button from '@nuxt/ui/components/Button.vue';
import type Checkbox from '@nuxt/ui/components/Checkbox.vue';
import type DropdownMenu from '@nuxt/ui/components/DropdownMenu.vue';
import type FormField from '@nuxt/ui/components/FormField.vue';
import type Icon from '@nuxt/ui/components/Icon.vue';
import type Input from '@nuxt/ui/components/Input.vue';
import type Modal from '@nuxt/ui/components/Modal.vue';
import type Popover from '@nuxt/ui/components/Popover.vue';
import type Progress from '@nuxt/ui/components/Progress.vue';
import type RadioGroup from '@nuxt/ui/components/RadioGroup.vue';
import type Select from '@nuxt/ui/components/Select.vue';
import type Skeleton from '@nuxt/ui/components/Skeleton.vue';
import type Slider from '@nuxt/ui/components/Slider.vue';
import type Switch from '@nuxt/ui/components/Switch.vue';
import type Tabs from '@nuxt/ui/components/Tabs.vue';
import type Textarea from '@nuxt/ui/components/Textarea.vue';
import type Tooltip from '@nuxt/ui/components/Tooltip.vue';

declare module 'vue' {
  export interface GlobalComponents {
    UApp: typeof App;
    UAlert: typeof Alert;
    UButton: typeof Button;
    UCheckbox: typeof Checkbox;
    UDropdownMenu: typeof DropdownMenu;
    UFormField: typeof FormField;
    UIcon: typeof Icon;
    UInput: typeof Input;
    UModal: typeof Modal;
    UPopover: typeof Popover;
    UProgress: typeof Progress;
    URadioGroup: typeof RadioGroup;
    USelect: typeof Select;
    USkeleton: typeof Skeleton;
    USlider: typeof Slider;
    USwitch: typeof Switch;
    UTabs: typeof Tabs;
    UTextarea: typeof Textarea;
    UTooltip: typeof Tooltip;
  }
}

// What the columns of a table hold, and their roles as check boxes. Each tick is noted, and a button uses them.
export default {
  template: `
    <div class="columns-table">
      <div class="scroll" tabindex="0" role="region" aria-label="the columns">
        <table class="costs">
          <thead><tr><th scope="col">Column</th><th v-for="(words, role) in boxes" :key="role"
            scope="col">{{ words }}</th></tr></thead>
          <tbody>
            <tr v-for="column in columns" :key="column.name">
              <th scope="row"><b>{{ column.name }}</b><span class="note">{{ column.words }}</span>
                <span v-if="column.hint" class="note hint">{{ column.hint }}</span>
                <svg v-if="column.bars.length" class="bars" :width="column.bars.length * 6" height="22" role="img"
                :aria-label="'how its values are spread'"><rect v-for="(bar, at) in column.bars" :key="at" :x="at * 6"
                width="5" :y="22 - Math.max(1, 22 * bar)" :height="Math.max(1, 22 * bar)"/></svg></th>
              <td v-for="(words, role) in boxes" :key="role"><input type="checkbox" v-model="ticks[role]"
                :value="column.name" @change="$emit('tick', ticks)" :aria-label="words + ' ' + column.name"></td>
            </tr>
          </tbody>
        </table>
      </div>
      <p class="buttons"><button v-if="boxes.leave" type="button" class="plain" :disabled="!ticks.leave.length"
        @click="$emit('leave', ticks.leave)">Leave out what is ticked</button>
      <button v-if="boxes.known" type="button" class="plain" @click="$emit('roles', ticks)">Use these roles</button></p>
    </div>`,
  props: { columns: Array, boxes: Object, given: Object },
  data() {
    return { ticks: { leave: [], known: [], sensitive: [], ...JSON.parse(JSON.stringify(this.given)) } };
  },
  watch: {
    given: { deep: true, handler(now) { Object.assign(this.ticks, JSON.parse(JSON.stringify(now))); } },
  },
};

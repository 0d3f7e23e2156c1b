select to_json([item]) as items, count(distinct basket) as support from {{ ref('baskets') }} group by item
union all
select to_json([least(a.item, b.item), greatest(a.item, b.item)]), count(distinct a.basket)
from {{ ref('baskets') }} a join {{ ref('baskets') }} b on a.basket = b.basket and a.item < b.item
group by a.item, b.item

select * from (values (1, 'tea'), (1, 'milk'), (2, 'tea'), (3, 'tea'), (3, 'milk')) as t(basket, item)
